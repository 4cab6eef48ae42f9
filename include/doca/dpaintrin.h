/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intrinsics of the DPA: clocks, fences, caches. Here DPA code runs on the processor of the
 * program, whose caches agree, so that nothing has to be written back.
 */
#ifndef DPAINTRIN_H_
#define DPAINTRIN_H_

#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

#include <softfield_cast.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a fence is for. */
#define __DPA_MEMORY 1 /**< memory of the DPA */
#define __DPA_MMIO   2 /**< memory of others, and devices */
#define __DPA_SYSTEM 3 /**< both */
#define __DPA_HEAP   4 /**< what is allocated of the DPA's memory */

/* What comes before a fence, and what after it. */
#define __DPA_R	 1		     /**< reads */
#define __DPA_W	 2		     /**< writes */
#define __DPA_RW (__DPA_R | __DPA_W) /**< both */

/** Keeps what is done before it ahead of what is done after it. Always a full fence here. */
#define __dpa_thread_fence(memory_space, pred_op, succ_op)                                         \
	((void)(memory_space), (void)(pred_op), (void)(succ_op), __sync_synchronize())

/** __dpa_thread_fence() of all memory. */
#define __dpa_thread_memory_fence(pred_op, succ_op)                                                \
	__dpa_thread_fence(__DPA_MEMORY, pred_op, succ_op)

/** __dpa_thread_fence() of outboxes, by which DPA code talks to the card. */
#define __dpa_thread_outbox_fence(pred_op, succ_op) __dpa_thread_fence(__DPA_MMIO, pred_op, succ_op)

/** __dpa_thread_fence() of windows, by which DPA code sees memory of others. */
#define __dpa_thread_window_fence(pred_op, succ_op) __dpa_thread_fence(__DPA_MMIO, pred_op, succ_op)

/** __dpa_thread_fence() of everything. */
#define __dpa_thread_system_fence() __dpa_thread_fence(__DPA_SYSTEM, __DPA_RW, __DPA_RW)

/** Drops what a cache has of an address. Here no cache has anything old. */
#define __dpa_data_ignore(addr) ((void)(addr))

/** Keeps the compiler from moving memory accesses across it. */
#define __dpa_compiler_barrier() __asm__ volatile("" : : : "memory")

/**
 * @brief Reads the counter that grows steadily and fastest here, not one of cycles that were used.
 *
 * @return its value.
 *
 * Source: spec msgq_dpa 8.
 */
static inline uint64_t __dpa_thread_cycles(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
#else
	struct timeval now;

	gettimeofday(&now, SOFTFIELD_NULL);
	return SOFTFIELD_NUMBER(uint64_t, now.tv_sec) * 1000000 +
	       SOFTFIELD_NUMBER(uint64_t, now.tv_usec);
#endif
}

/**
 * @brief Reads the clock.
 *
 * @return microseconds since 1970.
 *
 * Source: spec msgq_dpa 8, 9.
 */
static inline uint64_t __dpa_thread_time(void)
{
	struct timeval now;

	gettimeofday(&now, SOFTFIELD_NULL);
	return SOFTFIELD_NUMBER(uint64_t, now.tv_sec) * 1000000 +
	       SOFTFIELD_NUMBER(uint64_t, now.tv_usec);
}

/**
 * @brief Stands for the number of instructions, which nobody counts here.
 *
 * @return __dpa_thread_cycles().
 *
 * Source: spec msgq_dpa 8.
 */
static inline uint64_t __dpa_thread_inst_ret(void)
{
	return __dpa_thread_cycles();
}

/**
 * @brief Makes writes to the DPA's memory visible to others. Here they are.
 *
 * Source: spec msgq_dpa 8.
 */
static inline void __dpa_thread_memory_writeback(void)
{
	__sync_synchronize();
}

/**
 * @brief Makes writes to memory of others visible to them. Here they are.
 *
 * Source: spec msgq_dpa 8.
 */
static inline void __dpa_thread_window_writeback(void)
{
	__sync_synchronize();
}

/**
 * @brief Makes writes of others to their memory visible here. Here they are.
 *
 * Source: spec msgq_dpa 8.
 */
static inline void __dpa_thread_window_read_inv(void)
{
	__sync_synchronize();
}

/*
 * Numbers with 16 bits behind the point
 */

/**
 * @brief 1 divided by a number.
 *
 * @param [in] value the number, in 1/65536.
 *
 * @return the quotient, in 1/65536; the greatest or least there is, if it does not fit.
 *
 * Source: spec msgq_dpa 8.
 */
static inline int32_t __dpa_fxp_rcp(int32_t value)
{
	int64_t quotient = value ? (INT64_C(1) << 32) / value : INT32_MAX;

	if (quotient > INT32_MAX)
		return INT32_MAX;
	return quotient < INT32_MIN ? INT32_MIN : SOFTFIELD_NUMBER(int32_t, quotient);
}

/**
 * @brief 2 to the power of a number.
 *
 * @param [in] value the number, in 1/65536.
 *
 * @return the power, in 1/65536; the greatest there is, if it does not fit.
 *
 * Source: spec msgq_dpa 8.
 */
static inline uint32_t __dpa_fxp_pow2(int32_t value)
{
	double part = (value & 0xffff) / 65536.0 * 0.69314718055994530942, term = 1, sum = 1;
	int whole = value >> 16;

	if (whole < -17)
		return 0;
	for (int i = 1; i < 15; i++) {
		term *= part / i;
		sum += term;
	}
	sum = sum * SOFTFIELD_NUMBER(double, UINT64_C(1) << (whole < 16 ? whole + 32 : 48)) /
		      65536 +
	      0.5;
	return sum < UINT32_MAX ? SOFTFIELD_NUMBER(uint32_t, sum) : UINT32_MAX;
}

/**
 * @brief Binary logarithm of a number.
 *
 * @param [in] value the number, in 1/65536.
 *
 * @return the logarithm, in 1/65536; the least there is for 0.
 *
 * Source: spec msgq_dpa 8.
 */
static inline int32_t __dpa_fxp_log2(uint32_t value)
{
	int32_t result;
	uint64_t rest;

	if (!value)
		return INT32_MIN;
	result = (15 - __builtin_clz(value)) * 65536;
	rest = SOFTFIELD_NUMBER(uint64_t, value) << __builtin_clz(value);
	for (int32_t bit = 1 << 15; bit; bit >>= 1) {
		rest = rest * rest >> 31;
		if (rest >> 32) {
			rest >>= 1;
			result += bit;
		}
	}
	return result;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DPAINTRIN_H_ */
