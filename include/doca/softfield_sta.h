/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target, what is ours alone: connections over TCP or inside the process, disks made of
 * files or memory, and the number of engine threads. Programs that use it run with this library
 * only.
 */
#ifndef SOFTFIELD_STA_H_
#define SOFTFIELD_STA_H_

#include <stdbool.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_sta_handle.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What doca_sta_event_transport_err_get_operation() says where it is no operation of verbs, none of
 * which has such a number. The syndrome and the vendor's are 0 unless said otherwise.
 */
enum softfield_sta_operation {
	/** The host submitted more commands than its queue holds; NVMe asks for the end of its
	 * controller. */
	SOFTFIELD_STA_OVERRUN = 0x10000,
	/** The connection was not set up, or not in time; syndrome: a doca_error_t. */
	SOFTFIELD_STA_SETUP,
	/** The host neither sent the data of the program's commands nor read their answers, and
	 * commands of others had to wait for it. */
	SOFTFIELD_STA_KEPT_WAITING,
	/** The host named memory by a key that it does not have; syndrome: the key. */
	SOFTFIELD_STA_KEY,
	/** TCP: nothing more comes in; syndrome: an errno. */
	SOFTFIELD_STA_RECEIVE,
	/** TCP: nothing more can be sent; syndrome: an errno. */
	SOFTFIELD_STA_SEND,
	/** TCP: a side has found an error in what the other one sent; syndrome: its Fatal Error
	 * Status, vendor syndrome: its Fatal Error Information, if we found it. */
	SOFTFIELD_STA_PROTOCOL,
};

struct doca_dev;
struct doca_pe;
struct doca_sta;
struct doca_sta_io;

/**
 * @brief Sets how many threads the engine has. SOFTFIELD_LIMITS sta_eus, or 1, unless set.
 *
 * @param [in] sta the target, IDLE.
 * @param [in] count the number, 1 to 16.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: sta is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 *
 * Only the thread that drives the control progress engine. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_set_num_eus(struct doca_sta *sta, uint16_t count);

/**
 * @brief Makes a queue pair of a TCP connection that an NVMe/TCP host has opened.
 *
 * The engine answers the host's request to initialize the connection and carries capsules from then
 * on; the queue pair is established at once. Everything else is as with
 * doca_sta_io_qp_connect(), admin queues included: their commands all go to the program.
 *
 * @param [in] sta_io the object, RUNNING.
 * @param [in] dev the device the connection counts for, one of doca_sta_add_dev().
 * @param [in] sock a connected socket; the library's own from now on if this succeeds, else still
 *        the caller's.
 * @param [in] subs_handle the subsystem; NULL: doca_sta_io_qp_add_subsystem() follows.
 * @param [out] qp_handle the queue pair; give it back with doca_sta_io_qp_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer but subs_handle is NULL, sock is no socket for a stream, or
 *   the device or the subsystem is not one of the target
 * - DOCA_ERROR_BAD_STATE: the object is not RUNNING
 * - DOCA_ERROR_FULL: there are doca_sta_get_max_qps() already
 * - DOCA_ERROR_NO_MEMORY: no memory for its buffers
 * - DOCA_ERROR_OPERATING_SYSTEM: sock is closed, or cannot be set up
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: our own, spec sta 10.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_io_qp_connect_tcp(struct doca_sta_io *sta_io, const struct doca_dev *dev,
					     int sock, struct doca_sta_subs_handle *subs_handle,
					     struct doca_sta_qp_handle **qp_handle);

/**
 * What a host inside the process is told of its command, inside doca_pe_progress().
 *
 * @param [in] cqe 16 bytes, the completion; NULL: the queue pair had failed when the command came.
 *        Those that were under way when it failed are not answered at all.
 * @param [in] user_data what the command was submitted with.
 */
typedef void (*softfield_sta_loop_cb_t)(const uint8_t *cqe, union doca_data user_data);

/**
 * @brief Makes a queue pair whose host is this program: no network, the rest as with any other.
 *
 * For tests of programs and for measuring the engine alone. The queue pair is established at once;
 * the host's first command must be Connect.
 *
 * @param [in] sta_io the object, RUNNING.
 * @param [in] dev the device the connection counts for, one of doca_sta_add_dev().
 * @param [in] subs_handle the subsystem; NULL: doca_sta_io_qp_add_subsystem() follows.
 * @param [out] qp_handle the queue pair; give it back with doca_sta_io_qp_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer but subs_handle is NULL, or the device or the subsystem is
 *   not one of the target
 * - DOCA_ERROR_BAD_STATE: the object is not RUNNING
 * - DOCA_ERROR_FULL: there are doca_sta_get_max_qps() already
 * - DOCA_ERROR_NO_MEMORY: no memory for its buffers
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_io_qp_connect_loop(struct doca_sta_io *sta_io,
					      const struct doca_dev *dev,
					      struct doca_sta_subs_handle *subs_handle,
					      struct doca_sta_qp_handle **qp_handle);

/**
 * @brief Submits a command as the host of a queue pair of softfield_sta_io_qp_connect_loop().
 *
 * @param [in] qp_handle the queue pair.
 * @param [in] nvme_cmd 64 bytes; the descriptor of data in it is ignored. Copied.
 * @param [in] data the command's data, read or written by the engine until the callback.
 * @param [in] data_len bytes of it, below 16 MiB.
 * @param [in] cb called when it is finished; not called any more once the queue pair is destroyed.
 * @param [in] user_data for cb.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, there is too much data, or the host of the queue
 *   pair is not this program
 * - DOCA_ERROR_BAD_STATE: the queue pair is being disconnected
 * - DOCA_ERROR_AGAIN: as many commands as the queue pair holds are under way; submit it from a
 *   callback
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_io_qp_loop_submit(struct doca_sta_qp_handle *qp_handle,
					     const uint8_t *nvme_cmd, void *data, uint32_t data_len,
					     softfield_sta_loop_cb_t cb, union doca_data user_data);

/**
 * @brief Ends a command without an answer.
 *
 * For commands that a reset of the controller ends silently, such as asynchronous event requests.
 * The command and its data are invalid afterwards.
 *
 * @param [in] sta_io the object, RUNNING.
 * @param [in] qp_handle the queue pair of the command.
 * @param [in] non_offload_user_data the command, as doca_sta_io_non_offload_cb_t told it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the queue pair is another one's, or there is no
 *   such command
 * - DOCA_ERROR_BAD_STATE: a task of the command is under way, or its queue pair does not carry
 *   anything any more
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_io_drop_command(struct doca_sta_io *sta_io,
					   struct doca_sta_qp_handle *qp_handle,
					   union doca_data non_offload_user_data);

/**
 * @brief Makes the engine answer reads and writes of a namespace with a status, or execute them
 * again.
 *
 * For states that a program knows of, such as ANA states. Commands that the disk has are not
 * affected; writes whose data the host still owes are.
 *
 * @param [in] ns_handle the namespace.
 * @param [in] status status field of an NVMe completion without its phase bit; 0: execute.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ns_handle is NULL
 *
 * Any thread. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_ns_set_refusal(struct doca_sta_ns_handle *ns_handle, uint16_t status);

/**
 * @brief Makes the engine refuse reads and writes of a namespace that come by one queue pair, or
 * execute them again.
 *
 * For hosts that do not know yet that another disk has the number of one that they use: they get
 * Invalid Namespace or Format. Call it before the other one is added.
 *
 * @param [in] sta_io the object.
 * @param [in] qp_handle the queue pair.
 * @param [in] fe_nsid the namespace's number for hosts, at most 1024; it need not exist.
 * @param [in] hidden refuse or execute.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the queue pair is another one's, or the number is
 *   too high
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_io_qp_hide_ns(struct doca_sta_io *sta_io,
					 struct doca_sta_qp_handle *qp_handle, uint32_t fe_nsid,
					 bool hidden);

/**
 * @brief Ends the first half of a fused command that waits for the second one, which has not come.
 *
 * For a host that wants it aborted: the engine keeps it, and no program has seen it. It is answered
 * with Command Abort Requested; a second half that comes after all, with Command Aborted due to
 * Missing Fused Command.
 *
 * @param [in] sta_io the object.
 * @param [in] qp_handle the queue pair.
 * @param [in] cid the command's identifier.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the queue pair is another one's
 * - DOCA_ERROR_NOT_FOUND: no such one waits, or the host still owes its data
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_io_qp_abort_half(struct doca_sta_io *sta_io,
					    struct doca_sta_qp_handle *qp_handle, uint16_t cid);

/**
 * @brief Makes the engine leave reads and writes of a queue pair to the program again.
 *
 * For hosts that have lost the right to their namespaces: the program answers what comes from now
 * on, as it does before doca_sta_io_qp_add_subsystem(), which may follow. Commands that the engine
 * has go on. The subsystem stays in use until the queue pair is disconnected.
 *
 * @param [in] sta_io the object.
 * @param [in] qp_handle the queue pair.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the queue pair is another one's
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_io_qp_remove_subsystem(struct doca_sta_io *sta_io,
						  struct doca_sta_qp_handle *qp_handle);

/** A disk, behind NVMe queues. */
struct softfield_sta_disk;

/** What a disk keeps its bytes in. */
enum softfield_sta_disk_kind {
	SOFTFIELD_STA_DISK_FILE = 0,   /**< a file or a block device */
	SOFTFIELD_STA_DISK_MEMORY = 1, /**< memory of the process */
	SOFTFIELD_STA_DISK_NULL = 2,   /**< nothing: reads as zeros */
	SOFTFIELD_STA_DISK_PCI = 3,    /**< namespace 1 of a controller that vfio-pci has */
};

/** How a disk is made; unused members are zero. */
struct softfield_sta_disk_attr {
	enum softfield_sta_disk_kind kind; /**< what it keeps its bytes in */
	const char *path;    /**< FILE: of the file, which must exist; PCI: the address */
	uint64_t size;	     /**< MEMORY and NULL: bytes */
	uint32_t block_size; /**< bytes of a block; 0: 512 */
	bool read_only; /**< writes are refused; PCI: the disk knows, and this is not looked at */
	bool direct;	/**< FILE: past the page cache */
};

/** What a disk is. */
struct softfield_sta_disk_info {
	uint64_t blocks;     /**< its size in blocks */
	uint32_t block_size; /**< bytes of a block */
	uint32_t ns_id;	     /**< its namespace, for doca_sta_subsystem_add_ns() */
	bool read_only;	     /**< writes are refused */
	bool write_cache;    /**< writes are durable after a flush only */
	uint8_t dlfeat;	     /**< how blocks that are deallocated read: DLFEAT of Identify */
	bool can_fuse;	     /**< it does what softfield_sta_channel_submit_fused() asks for */
	uint16_t oncs;	     /**< which optional commands it has: ONCS of Identify */
};

/**
 * @brief Opens a disk.
 *
 * @param [in] sta the target.
 * @param [in] attr how.
 * @param [out] disk the disk; give it back with softfield_sta_disk_close().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the block size is not supported, or the disk is
 *   smaller than a block, or neither a file nor a block device
 * - DOCA_ERROR_NOT_FOUND, DOCA_ERROR_NOT_PERMITTED: the file cannot be opened, or is in a file
 *   system that is read-only; PCI: there is no such device
 * - DOCA_ERROR_IN_USE: another disk, maybe of another process, has the file
 * - DOCA_ERROR_NO_MEMORY: no memory for it, or no descriptor left
 * - DOCA_ERROR_NOT_SUPPORTED: doca_sta_mem_allocator_register() was called: such a disk can only
 *   reach memory of the process; FILE: the device, or with direct the file system, has larger
 *   blocks (the log says how large); PCI: vfio-pci does not have the device, or it cannot do what
 *   it takes (the log says what)
 * - DOCA_ERROR_OPERATING_SYSTEM: the file cannot be opened for another reason (the log says which)
 * - DOCA_ERROR_TIME_OUT, DOCA_ERROR_IO_FAILED: PCI: the controller does not come up
 *
 * Only the thread that drives the control progress engine. Source: our own, spec sta 9.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_disk_open(struct doca_sta *sta,
				     const struct softfield_sta_disk_attr *attr,
				     struct softfield_sta_disk **disk);

/**
 * @brief Closes a disk.
 *
 * @param [in] disk the disk.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: disk is NULL
 * - DOCA_ERROR_IN_USE: a queue or a channel of it exists
 *
 * Only the thread that drives the control progress engine. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_disk_close(struct softfield_sta_disk *disk);

/**
 * @brief What a disk is.
 *
 * @param [in] disk the disk.
 * @param [out] info what it is.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread, but not during softfield_sta_disk_rescan(). Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_disk_get_info(const struct softfield_sta_disk *disk,
					 struct softfield_sta_disk_info *info);

/**
 * @brief Looks whether a disk, or its file, has another size now, and adopts it.
 *
 * @param [in] disk the disk.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: disk is NULL
 * - DOCA_ERROR_OPERATING_SYSTEM: the size cannot be found out
 * - DOCA_ERROR_NOT_SUPPORTED: PCI: its namespace is one now that could not be opened
 * - DOCA_ERROR_TIME_OUT, DOCA_ERROR_IO_FAILED: PCI: the controller does not answer, or refuses
 *
 * Only the thread that drives the control progress engine. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_disk_rescan(struct softfield_sta_disk *disk);

/**
 * @brief Gives a back end a queue of a disk. The thread of the engine that owns the queue executes
 * the disk's commands, too.
 *
 * @param [in] be_handle the back end.
 * @param [in] disk the disk.
 * @param [out] be_q_handle the queue; destroy it by doca_sta_be_destroy_queue_task_alloc_init().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the disk is another target's
 * - DOCA_ERROR_BAD_STATE: the target is not RUNNING
 * - DOCA_ERROR_FULL: there are doca_sta_get_max_qs_per_be() already; PCI: or the controller has no
 *   more
 * - DOCA_ERROR_NO_MEMORY: no memory for it
 * - DOCA_ERROR_TIME_OUT, DOCA_ERROR_IO_FAILED: PCI: the controller does not answer, or refuses
 *
 * Only the thread that drives the control progress engine. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_be_add_disk_queue(struct doca_sta_be_handle *be_handle,
					     struct softfield_sta_disk *disk,
					     struct doca_sta_be_q_handle **be_q_handle);

/** A program's own way to a disk, for commands that the engine leaves to it. */
struct softfield_sta_channel;

/**
 * Tells that a command is finished, inside doca_pe_progress().
 *
 * @param [in] status status field of the NVMe completion without its phase bit.
 * @param [in] user_data what the command was submitted with.
 */
typedef void (*softfield_sta_channel_cb_t)(uint16_t status, union doca_data user_data);

/**
 * @brief Gets what a command that is finished has to say beside its status: dword 0 of its
 * completion.
 *
 * For instance of a Copy that has failed, the first of its ranges that has not been copied.
 *
 * @param [in] channel the channel.
 * @param [out] result dword 0 of the command whose callback runs, or has run last; 0 before any.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the progress engine. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_channel_get_result(const struct softfield_sta_channel *channel,
					      uint32_t *result);

/**
 * @brief Opens a channel.
 *
 * @param [in] disk the disk.
 * @param [in] pe the progress engine that drives it; outlives the channel.
 * @param [out] channel the channel; give it back with softfield_sta_channel_close().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for it
 * - DOCA_ERROR_FULL: PCI: the controller has no more queues
 * - DOCA_ERROR_TIME_OUT, DOCA_ERROR_IO_FAILED: PCI: the controller does not answer, or refuses
 *
 * Only the thread that drives the progress engine. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_channel_open(struct softfield_sta_disk *disk, struct doca_pe *pe,
					struct softfield_sta_channel **channel);

/**
 * @brief Closes a channel. Waits for commands that are under way; their callbacks are not called.
 *
 * Not to be called in a callback of the channel's own.
 *
 * @param [in] channel the channel.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: channel is NULL
 *
 * Only the thread that drives the progress engine. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_channel_close(struct softfield_sta_channel *channel);

/**
 * @brief Executes a command of the NVM command set on the disk.
 *
 * @param [in] channel the channel.
 * @param [in] nvme_cmd 64 bytes; the namespace, the descriptors of data and the identifier in it
 * are ignored. Copied.
 * @param [in] payload the command's data, contiguous; untouched by others until the callback. A
 *        disk on PCI reaches the payloads of commands that the engine leaves to the program.
 * @param [in] payload_len bytes of it.
 * @param [in] cb called when it is finished.
 * @param [in] user_data for cb.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or there is more data than a command can have
 * - DOCA_ERROR_AGAIN: too many commands are under way; submit it from a callback
 *
 * Only the thread that drives the progress engine. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_channel_submit(struct softfield_sta_channel *channel,
					  const uint8_t *nvme_cmd, void *payload,
					  uint32_t payload_len, softfield_sta_channel_cb_t cb,
					  union doca_data user_data);

/** One command of softfield_sta_channel_submit_fused(). */
struct softfield_sta_request {
	const uint8_t *nvme_cmd;       /**< as for softfield_sta_channel_submit() */
	void *payload;		       /**< likewise */
	uint32_t payload_len;	       /**< likewise */
	softfield_sta_channel_cb_t cb; /**< likewise */
	union doca_data user_data;     /**< likewise */
};

/**
 * @brief Compares a block and writes it if that succeeds, so that nothing comes between.
 *
 * Both commands have a callback. If the block is another one, the first has the status Compare
 * Failure (285h) and the second Command Aborted due to Failed Fused Command (009h).
 *
 * @param [in] channel the channel.
 * @param [in] first Compare of one block.
 * @param [in] second Write of the same block.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or there is more data than a command can have
 * - DOCA_ERROR_AGAIN: too many commands are under way; submit them from a callback
 *
 * Only the thread that drives the progress engine. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_channel_submit_fused(struct softfield_sta_channel *channel,
						const struct softfield_sta_request *first,
						const struct softfield_sta_request *second);

/**
 * @brief Ends commands early: nobody wants any more what they have not done yet.
 *
 * What has been done of them stays done. Their callbacks come soon, not inside this call: with the
 * status Command Abort Requested (007h), or with another one if the disk had finished before. What
 * the kernel does in one piece (a flush, a read, a write, some of a discard) is not cut short.
 *
 * @param [in] channel the channel.
 * @param [in] user_data all commands that were submitted with it are meant.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: channel is NULL
 * - DOCA_ERROR_NOT_FOUND: no such command is under way
 * - DOCA_ERROR_NOT_SUPPORTED: the disk is one on PCI, which finishes what it has begun
 *
 * Only the thread that drives the progress engine. Source: our own.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_channel_abort(struct softfield_sta_channel *channel,
					 union doca_data user_data);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_STA_H_ */
