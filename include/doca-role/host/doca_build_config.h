/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Role of the programs built with this directory on the include path: host.
 *
 * -D DOCA_ARCH_DPU on the compiler's command line overrides it.
 */
#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#if defined(DOCA_ARCH_HOST) && defined(DOCA_ARCH_DPU)
#error "DOCA_ARCH_HOST and DOCA_ARCH_DPU are both defined: a program has one role"
#endif

#ifdef DOCA_ARCH_DPU
#define DOCA_ARCH_ARM
#undef DOCA_ARCH_X86
#else
#ifndef DOCA_ARCH_HOST
#define DOCA_ARCH_HOST
#endif
#define DOCA_ARCH_X86
#undef DOCA_ARCH_ARM
#endif

/** Built for a BlueField-2: never. */
#define DOCA_ARCH_DPU_BF2 false

#endif /* DOCA_BUILD_CONFIG_H_ */
