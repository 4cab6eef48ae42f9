/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVMe as it is in memory and on the wire. "Base" is the NVM Express Base Specification 2.0, "NVM"
 * the NVM Command Set Specification 1.0, "TCP" the TCP Transport Specification 1.0. All fields are
 * little-endian: read them with le16toh() and its relatives.
 */
#ifndef SOFTFIELD_NVME_SPEC_H
#define SOFTFIELD_NVME_SPEC_H

#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint16_t le16_t;
typedef uint32_t le32_t;
typedef uint64_t le64_t;

#define NVME_PAGE_SIZE	   4096u /* memory page: CC.MPS 0 */
#define NVME_IDENTIFY_SIZE 4096u
#define NVME_NSID_ALL	   0xffffffffu
#define NVME_NQN_SIZE	   224u /* longest name, with its NUL: Base 4.5 */
#define NVME_NQN_FIELD	   256u
#define NVME_DISCOVERY_NQN "nqn.2014-08.org.nvmexpress.discovery"

/* SGL descriptor: Base 4.1.2 */
struct nvme_sgl {
	le64_t addr;
	union {
		struct {
			le32_t length;
			uint8_t reserved[3];
			uint8_t type; /* descriptor type in 7:4, sub type in 3:0 */
		};
		struct {
			uint8_t length24[3];
			uint8_t key[4];
			uint8_t keyed_type;
		};
	};
};
static_assert(sizeof(struct nvme_sgl) == 16, "Base figure 106");

#define NVME_SGL_DATA_OFFSET	  0x01 /* data block, address is an offset in the capsule */
#define NVME_SGL_KEYED		  0x40
#define NVME_SGL_KEYED_INVALIDATE 0x4f
#define NVME_SGL_TRANSPORT	  0x5a /* transport data block */

/* Submission queue entry: Base 3.3.3.1; the tail is per command */
struct nvme_cmd {
	uint8_t opcode;
	uint8_t flags; /* fused in 1:0, PSDT in 7:6 */
	le16_t cid;
	le32_t nsid;
	le32_t cdw2;
	le32_t cdw3;
	le64_t mptr;
	union {
		struct {
			le64_t prp1;
			le64_t prp2;
		};
		struct nvme_sgl sgl;
	};
	le32_t cdw10;
	le32_t cdw11;
	le32_t cdw12;
	le32_t cdw13;
	le32_t cdw14;
	le32_t cdw15;
};
static_assert(sizeof(struct nvme_cmd) == 64, "Base figure 87");
static_assert(offsetof(struct nvme_cmd, prp1) == 24, "Base figure 87");
static_assert(offsetof(struct nvme_cmd, cdw10) == 40, "Base figure 87");

/* of Read, Write and Compare: are both of the same block, and of one only? */
static inline bool nvme_cmd_same_block(const struct nvme_cmd *a, const struct nvme_cmd *b)
{
	return a->nsid == b->nsid && a->cdw10 == b->cdw10 && a->cdw11 == b->cdw11 &&
	       !((le32toh(a->cdw12) | le32toh(b->cdw12)) & 0xffff);
}

#define NVME_FLAG_FUSED_MASK 0x03
#define NVME_FUSED_FIRST     0x01 /* Base 3.4.2 */
#define NVME_FUSED_SECOND    0x02
#define NVME_FLAG_PSDT_MASK  0xc0
#define NVME_FLAG_PSDT_SGL   0x40

/* Completion queue entry: Base 3.3.3.2 */
struct nvme_cqe {
	le32_t dw0;
	le32_t dw1;
	le16_t sqhd;
	le16_t sqid;
	le16_t cid;
	le16_t status; /* phase in bit 0, the status field above it */
};
static_assert(sizeof(struct nvme_cqe) == 16, "Base figure 89");

/*
 * Status field (15 bits, phase not included): SC 7:0, SCT 10:8, CRD 12:11, MORE 13, DNR 14.
 * Base 3.3.3.2.1
 */
#define NVME_SC_DNR 0x4000u

enum nvme_status {
	NVME_SC_SUCCESS = 0x000,
	NVME_SC_INVALID_OPCODE = 0x001,
	NVME_SC_INVALID_FIELD = 0x002,
	NVME_SC_ID_CONFLICT = 0x003,
	NVME_SC_DATA_TRANSFER_ERROR = 0x004,
	NVME_SC_INTERNAL_ERROR = 0x006,
	NVME_SC_ABORT_REQUESTED = 0x007,
	NVME_SC_ABORT_SQ_DELETED = 0x008,
	NVME_SC_FAILED_FUSED = 0x009,
	NVME_SC_MISSING_FUSED = 0x00a,
	NVME_SC_INVALID_NS = 0x00b,
	NVME_SC_SEQUENCE_ERROR = 0x00c,
	NVME_SC_SGL_DATA_LENGTH = 0x00f,
	NVME_SC_SGL_TYPE = 0x011,
	NVME_SC_PRP_OFFSET = 0x013,
	NVME_SC_SGL_OFFSET = 0x016,
	NVME_SC_KATO_INVALID = 0x01a,
	NVME_SC_NS_WRITE_PROTECTED = 0x020,
	NVME_SC_TRANSIENT_TRANSPORT = 0x022,
	NVME_SC_LBA_RANGE = 0x080,
	NVME_SC_CAPACITY_EXCEEDED = 0x081,
	NVME_SC_NS_NOT_READY = 0x082,
	/* command specific */
	NVME_SC_QUEUE_ID_INVALID = 0x101,
	NVME_SC_ABORT_LIMIT = 0x103,
	NVME_SC_AER_LIMIT = 0x105,
	NVME_SC_INVALID_LOG_PAGE = 0x109,
	NVME_SC_FEATURE_NOT_SAVEABLE = 0x10d,
	NVME_SC_FEATURE_NOT_CHANGEABLE = 0x10e,
	NVME_SC_FEATURE_NOT_NS_SPECIFIC = 0x10f,
	NVME_SC_CONNECT_FORMAT = 0x180,
	NVME_SC_CONNECT_BUSY = 0x181,
	NVME_SC_CONNECT_INVALID_PARAM = 0x182,
	NVME_SC_CONNECT_RESTART_DISCOVERY = 0x183,
	NVME_SC_CONNECT_INVALID_HOST = 0x184,
	NVME_SC_CONNECT_INVALID_QUEUE_TYPE = 0x185,
	NVME_SC_AUTH_REQUIRED = 0x191,
	NVME_SC_SIZE_LIMIT = 0x183, /* of Copy; what it is depends on the command */
	/* media and data integrity */
	NVME_SC_WRITE_FAULT = 0x280,
	NVME_SC_READ_ERROR = 0x281,
	NVME_SC_COMPARE_FAILURE = 0x285,
	/* path related */
	NVME_SC_PATH_INTERNAL = 0x300,
	NVME_SC_ANA_PERSISTENT_LOSS = 0x301,
	NVME_SC_ANA_INACCESSIBLE = 0x302,
	NVME_SC_ANA_TRANSITION = 0x303,
};

/* NVM commands: NVM figure 21, Base figure 88 */
enum nvme_nvm_opcode {
	NVME_CMD_FLUSH = 0x00,
	NVME_CMD_WRITE = 0x01,
	NVME_CMD_READ = 0x02,
	NVME_CMD_COMPARE = 0x05,
	NVME_CMD_WRITE_ZEROES = 0x08,
	NVME_CMD_DSM = 0x09,
	NVME_CMD_VERIFY = 0x0c,
	NVME_CMD_COPY = 0x19,
	NVME_CMD_FABRICS = 0x7f,
};

#define NVME_RW_FUA	    (1u << 30) /* cdw12 of Read, Write, Compare, Write Zeroes: NVM 3.2 */
#define NVME_RW_PRACT	    (1u << 29)
#define NVME_RW_PRCHK_MASK  (7u << 26)
#define NVME_DLFEAT_ZEROES  0x01 /* NVM 4.1.5.1: deallocated blocks read as zeroes */
#define NVME_DLFEAT_DEAC    0x08
#define NVME_WZ_DEAC	    (1u << 25) /* NVM 3.2.8 */
#define NVME_DSM_AD	    (1u << 2)  /* cdw11: NVM 3.2.3 */
#define NVME_DSM_RANGES_MAX 256u

/* NVM 3.2.3, figure 40 */
struct nvme_dsm_range {
	le32_t attributes;
	le32_t nlb; /* not 0-based */
	le64_t slba;
};
static_assert(sizeof(struct nvme_dsm_range) == 16, "NVM figure 40");

/* Copy: NVM 3.2.2, source ranges of format 0h. The first two are limits of ours. */
#define NVME_COPY_RANGES_MAX  128u /* MSRC; each of them as long as a transfer may be: MSSRL */
#define NVME_COPY_ALL_MAX     8u   /* MCL: of the longest ranges */
#define NVME_COPY_FORMAT_MASK (0xfu << 8) /* cdw12 */
#define NVME_COPY_PRINFO_MASK (0xfu << 12 | 0xfu << 26)

struct nvme_copy_range {
	uint8_t reserved0[8];
	le64_t slba;
	le16_t nlb; /* 0-based */
	uint8_t reserved18[14];
};
static_assert(sizeof(struct nvme_copy_range) == 32, "NVM 3.2.2");

/* Admin commands: Base figure 138 */
enum nvme_admin_opcode {
	NVME_ADMIN_DELETE_SQ = 0x00,
	NVME_ADMIN_CREATE_SQ = 0x01,
	NVME_ADMIN_GET_LOG_PAGE = 0x02,
	NVME_ADMIN_DELETE_CQ = 0x04,
	NVME_ADMIN_CREATE_CQ = 0x05,
	NVME_ADMIN_IDENTIFY = 0x06,
	NVME_ADMIN_ABORT = 0x08,
	NVME_ADMIN_SET_FEATURES = 0x09,
	NVME_ADMIN_GET_FEATURES = 0x0a,
	NVME_ADMIN_ASYNC_EVENT = 0x0c,
	NVME_ADMIN_KEEP_ALIVE = 0x18,
};

/* Identify CNS: Base figure 273 */
enum nvme_cns {
	NVME_CNS_NS = 0x00,
	NVME_CNS_CTRL = 0x01,
	NVME_CNS_NS_LIST = 0x02,
	NVME_CNS_NS_DESC = 0x03,
	NVME_CNS_CSI_NS = 0x05,
	NVME_CNS_CSI_CTRL = 0x06,
	NVME_CNS_CSI_NS_LIST = 0x07,
};

/* Log pages: Base figure 202 */
enum nvme_lid {
	NVME_LOG_ERROR = 0x01,
	NVME_LOG_SMART = 0x02,
	NVME_LOG_FIRMWARE = 0x03,
	NVME_LOG_CHANGED_NS = 0x04,
	NVME_LOG_EFFECTS = 0x05,
	NVME_LOG_ANA = 0x0c,
	NVME_LOG_DISCOVERY = 0x70,
};

/* Features: Base figure 317 */
enum nvme_fid {
	NVME_FEAT_ARBITRATION = 0x01,
	NVME_FEAT_POWER = 0x02,
	NVME_FEAT_TEMPERATURE = 0x04,
	NVME_FEAT_ERROR_RECOVERY = 0x05,
	NVME_FEAT_WRITE_CACHE = 0x06,
	NVME_FEAT_NUM_QUEUES = 0x07,
	NVME_FEAT_WRITE_ATOMICITY = 0x0a,
	NVME_FEAT_ASYNC_EVENT = 0x0b,
	NVME_FEAT_KATO = 0x0f,
	NVME_FEAT_HOST_BEHAVIOR = 0x16,
	NVME_FEAT_HOST_ID = 0x81,
};

/* Fabrics commands: Base 6 */
enum nvme_fctype {
	NVME_FC_PROPERTY_SET = 0x00,
	NVME_FC_CONNECT = 0x01,
	NVME_FC_PROPERTY_GET = 0x04,
	NVME_FC_AUTH_SEND = 0x05,
	NVME_FC_AUTH_RECEIVE = 0x06,
	NVME_FC_DISCONNECT = 0x08,
};

/* Base 6.3 */
struct nvmf_connect_cmd {
	uint8_t opcode;
	uint8_t flags;
	le16_t cid;
	uint8_t fctype;
	uint8_t reserved5[19];
	struct nvme_sgl sgl;
	le16_t recfmt;
	le16_t qid;
	le16_t sqsize; /* 0-based */
	uint8_t cattr;
	uint8_t reserved47;
	le32_t kato; /* ms */
	uint8_t reserved52[12];
};
static_assert(sizeof(struct nvmf_connect_cmd) == 64, "Base figure 381");
static_assert(offsetof(struct nvmf_connect_cmd, kato) == 48, "Base figure 381");

#define NVMF_CATTR_NO_SQFLOW (1u << 2)
#define NVMF_CONNECT_ATR     (1u << 17) /* in dword 0 of the answer: authentication is required */

struct nvmf_connect_data {
	uint8_t hostid[16];
	le16_t cntlid;
	uint8_t reserved18[238];
	char subnqn[NVME_NQN_FIELD];
	char hostnqn[NVME_NQN_FIELD];
	uint8_t reserved768[256];
};
static_assert(sizeof(struct nvmf_connect_data) == 1024, "Base figure 382");

/* Base 6.5 and 6.6 */
struct nvmf_property_cmd {
	uint8_t opcode;
	uint8_t flags;
	le16_t cid;
	uint8_t fctype;
	uint8_t reserved5[35];
	uint8_t attrib; /* size in 2:0: 0 is 4 bytes, 1 is 8 bytes */
	uint8_t reserved41[3];
	le32_t offset;
	le64_t value; /* Property Set only */
	uint8_t reserved56[8];
};
static_assert(sizeof(struct nvmf_property_cmd) == 64, "Base figure 386");
static_assert(offsetof(struct nvmf_property_cmd, value) == 48, "Base figure 386");

/* Authentication Send and Receive: Base 6.1 and 6.2 */
struct nvmf_auth_cmd {
	uint8_t opcode;
	uint8_t flags;
	le16_t cid;
	uint8_t fctype;
	uint8_t reserved5[19];
	struct nvme_sgl sgl;
	uint8_t reserved40;
	uint8_t spsp0;
	uint8_t spsp1;
	uint8_t secp;
	le32_t length; /* of the message, or of the room for one */
	uint8_t reserved48[16];
};
static_assert(sizeof(struct nvmf_auth_cmd) == 64, "Base 6.1");
static_assert(offsetof(struct nvmf_auth_cmd, length) == 44, "Base 6.1");

/* Controller properties: Base 3.1.3 */
enum nvme_property {
	NVME_PROP_CAP = 0x00,
	NVME_PROP_VS = 0x08,
	NVME_PROP_CC = 0x14,
	NVME_PROP_CSTS = 0x1c,
	NVME_PROP_AQA = 0x24,
	NVME_PROP_ASQ = 0x28,
	NVME_PROP_ACQ = 0x30,
	NVME_PROP_DOORBELLS = 0x1000, /* PCIe 3.1.2 */
};

#define NVME_CAP_MQES(cap)   ((uint32_t)(cap)&0xffff)	      /* 0-based */
#define NVME_CAP_TO(cap)     ((uint32_t)((cap) >> 24) & 0xff) /* 500 ms */
#define NVME_CAP_DSTRD(cap)  ((uint32_t)((cap) >> 32) & 15)
#define NVME_CAP_MPSMIN(cap) ((uint32_t)((cap) >> 48) & 15)
#define NVME_CC_QUEUES	     (6u << 16 | 4u << 20) /* entries of 64 and 16 bytes */
#define NVME_CC_SHN_NORMAL   (1u << 14)
#define NVME_CC_CSS_ALL	     6u

#define NVME_CC_EN	    (1u << 0)
#define NVME_CC_CSS(cc)	    (((cc) >> 4) & 7)
#define NVME_CC_MPS(cc)	    (((cc) >> 7) & 15)
#define NVME_CC_AMS(cc)	    (((cc) >> 11) & 7)
#define NVME_CC_SHN(cc)	    (((cc) >> 14) & 3)
#define NVME_CC_IOSQES(cc)  (((cc) >> 16) & 15)
#define NVME_CC_IOCQES(cc)  (((cc) >> 20) & 15)
#define NVME_CSTS_RDY	    (1u << 0)
#define NVME_CSTS_CFS	    (1u << 1)
#define NVME_CSTS_SHST_BUSY (1u << 2)
#define NVME_CSTS_SHST_DONE (2u << 2)

/* Identify Controller: Base 5.17.2.1; only the members that are set */
struct nvme_id_ctrl {
	le16_t vid;
	le16_t ssvid;
	char sn[20];
	char mn[40];
	char fr[8];
	uint8_t rab;
	uint8_t ieee[3];
	uint8_t cmic;
	uint8_t mdts;
	le16_t cntlid;
	le32_t ver;
	le32_t rtd3r;
	le32_t rtd3e;
	le32_t oaes;
	le32_t ctratt;
	uint8_t reserved100[11];
	uint8_t cntrltype;
	uint8_t fguid[16];
	uint8_t reserved128[128];
	le16_t oacs;
	uint8_t acl;
	uint8_t aerl;
	uint8_t frmw;
	uint8_t lpa;
	uint8_t elpe;
	uint8_t npss;
	uint8_t reserved264[2];
	le16_t wctemp, cctemp; /* kelvin */
	uint8_t reserved270[50];
	le16_t kas;
	uint8_t reserved322[20];
	uint8_t anatt;
	uint8_t anacap;
	le32_t anagrpmax;
	le32_t nanagrpid;
	uint8_t reserved352[160];
	uint8_t sqes;
	uint8_t cqes;
	le16_t maxcmd;
	le32_t nn;
	le16_t oncs;
	le16_t fuses;
	uint8_t fna;
	uint8_t vwc;
	le16_t awun;
	le16_t awupf;
	uint8_t icsvscc;
	uint8_t nwpc;
	le16_t acwu;
	le16_t ocfs;
	le32_t sgls;
	le32_t mnan;
	uint8_t reserved544[224];
	char subnqn[NVME_NQN_FIELD];
	uint8_t reserved1024[768];
	le32_t ioccsz;
	le32_t iorcsz;
	le16_t icdoff;
	uint8_t fcatt;
	uint8_t msdbd;
	le16_t ofcs;
	uint8_t reserved1806[242];
	uint8_t psd[32][32];
	uint8_t vendor[1024];
};
static_assert(sizeof(struct nvme_id_ctrl) == NVME_IDENTIFY_SIZE, "Base figure 275");
static_assert(offsetof(struct nvme_id_ctrl, cntrltype) == 111, "Base figure 275");
static_assert(offsetof(struct nvme_id_ctrl, oacs) == 256, "Base figure 275");
static_assert(offsetof(struct nvme_id_ctrl, wctemp) == 266, "Base figure 275");
static_assert(offsetof(struct nvme_id_ctrl, kas) == 320, "Base figure 275");
static_assert(offsetof(struct nvme_id_ctrl, anatt) == 342, "Base figure 275");
static_assert(offsetof(struct nvme_id_ctrl, sqes) == 512, "Base figure 275");
static_assert(offsetof(struct nvme_id_ctrl, sgls) == 536, "Base figure 275");
static_assert(offsetof(struct nvme_id_ctrl, subnqn) == 768, "Base figure 275");
static_assert(offsetof(struct nvme_id_ctrl, ioccsz) == 1792, "Base figure 275");

#define NVME_ONCS_COMPARE      (1u << 0)
#define NVME_ONCS_DSM	       (1u << 2)
#define NVME_ONCS_WRITE_ZEROES (1u << 3)
#define NVME_ONCS_VERIFY       (1u << 7)
#define NVME_ONCS_COPY	       (1u << 8)
#define NVME_ONCS_OURS                                                                             \
	(NVME_ONCS_COMPARE | NVME_ONCS_DSM | NVME_ONCS_WRITE_ZEROES | NVME_ONCS_VERIFY |           \
	 NVME_ONCS_COPY)

#define NVME_OCFS_FORMAT_0 (1u << 0)

#define NVME_FUSES_COMPARE_WRITE (1u << 0)

/* Identify Namespace: NVM 4.1.5.1 */
struct nvme_id_ns {
	le64_t nsze;
	le64_t ncap;
	le64_t nuse;
	uint8_t nsfeat;
	uint8_t nlbaf;
	uint8_t flbas;
	uint8_t mc;
	uint8_t dpc;
	uint8_t dps;
	uint8_t nmic;
	uint8_t rescap;
	uint8_t fpi;
	uint8_t dlfeat;
	uint8_t reserved34[40];
	le16_t mssrl;
	le32_t mcl;
	uint8_t msrc; /* 0-based */
	uint8_t reserved81[11];
	le32_t anagrpid;
	uint8_t reserved96[3];
	uint8_t nsattr;
	le16_t nvmsetid;
	le16_t endgid;
	uint8_t nguid[16];
	uint8_t eui64[8];
	le32_t lbaf[64];
	uint8_t vendor[3712];
};
static_assert(sizeof(struct nvme_id_ns) == NVME_IDENTIFY_SIZE, "NVM figure 97");
static_assert(offsetof(struct nvme_id_ns, anagrpid) == 92, "NVM figure 97");
static_assert(offsetof(struct nvme_id_ns, nguid) == 104, "NVM figure 97");
static_assert(offsetof(struct nvme_id_ns, lbaf) == 128, "NVM figure 97");

#define NVME_NS_ATTR_WRITE_PROTECTED 0x01
#define NVME_LBAF_SHIFT(lbaf)	     (((lbaf) >> 16) & 0xff)

/* Discovery log page: Base 5.16.1.23 */
struct nvme_discovery_header {
	le64_t genctr;
	le64_t numrec;
	le16_t recfmt;
	uint8_t reserved[1006];
};
static_assert(sizeof(struct nvme_discovery_header) == 1024, "Base figure 264");

struct nvme_discovery_entry {
	uint8_t trtype;
	uint8_t adrfam;
	uint8_t subtype;
	uint8_t treq;
	le16_t portid;
	le16_t cntlid;
	le16_t asqsz;
	le16_t eflags;
	uint8_t reserved12[20];
	char trsvcid[32];
	uint8_t reserved64[192];
	char subnqn[NVME_NQN_FIELD];
	char traddr[256];
	uint8_t tsas[256];
};
static_assert(sizeof(struct nvme_discovery_entry) == 1024, "Base figure 264");
static_assert(offsetof(struct nvme_discovery_entry, traddr) == 512, "Base figure 264");

/* ANA log page: Base 5.16.1.13 */
struct nvme_ana_header {
	le64_t chgcnt;
	le16_t ngrps;
	uint8_t reserved[6];
};
static_assert(sizeof(struct nvme_ana_header) == 16, "Base figure 221");

struct nvme_ana_group {
	le32_t grpid;
	le32_t nnsids;
	le64_t chgcnt;
	uint8_t state;
	uint8_t reserved[15];
};
static_assert(sizeof(struct nvme_ana_group) == 32, "Base figure 222");

#endif
