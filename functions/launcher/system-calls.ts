/**
 * System calls that no function needs and that have opened kernels before, with their numbers. Threat model F7: tracing, mounts,
 * namespaces, keys, kernel programs, rings and modules.
 */
export interface RefusedCall {
  readonly name: string;
  /** Absent where the architecture has no such call. */
  readonly x64?: number;
  readonly arm64?: number;
  /** Answers "no such call" so that programs fall back; otherwise "not permitted". */
  readonly missing?: boolean;
}

export const refusedCalls: readonly RefusedCall[] = [
  { name: 'ptrace', x64: 101, arm64: 117 },
  { name: 'process_vm_readv', x64: 310, arm64: 270 },
  { name: 'process_vm_writev', x64: 311, arm64: 271 },
  { name: 'kcmp', x64: 312, arm64: 272 },
  { name: 'pidfd_getfd', x64: 438, arm64: 438 },
  { name: 'mount', x64: 165, arm64: 40 },
  { name: 'umount2', x64: 166, arm64: 39 },
  { name: 'pivot_root', x64: 155, arm64: 41 },
  { name: 'chroot', x64: 161, arm64: 51 },
  { name: 'open_tree', x64: 428, arm64: 428 },
  { name: 'move_mount', x64: 429, arm64: 429 },
  { name: 'fsopen', x64: 430, arm64: 430 },
  { name: 'fsconfig', x64: 431, arm64: 431 },
  { name: 'fsmount', x64: 432, arm64: 432 },
  { name: 'fspick', x64: 433, arm64: 433 },
  { name: 'mount_setattr', x64: 442, arm64: 442 },
  { name: 'unshare', x64: 272, arm64: 97 },
  { name: 'setns', x64: 308, arm64: 268 },
  { name: 'clone3', x64: 435, arm64: 435, missing: true },
  { name: 'add_key', x64: 248, arm64: 217 },
  { name: 'request_key', x64: 249, arm64: 218 },
  { name: 'keyctl', x64: 250, arm64: 219 },
  { name: 'bpf', x64: 321, arm64: 280 },
  { name: 'perf_event_open', x64: 298, arm64: 241 },
  { name: 'userfaultfd', x64: 323, arm64: 282 },
  { name: 'io_uring_setup', x64: 425, arm64: 425, missing: true },
  { name: 'io_uring_enter', x64: 426, arm64: 426, missing: true },
  { name: 'io_uring_register', x64: 427, arm64: 427, missing: true },
  { name: 'kexec_load', x64: 246, arm64: 104 },
  { name: 'kexec_file_load', x64: 320, arm64: 294 },
  { name: 'init_module', x64: 175, arm64: 105 },
  { name: 'delete_module', x64: 176, arm64: 106 },
  { name: 'finit_module', x64: 313, arm64: 273 },
  { name: 'name_to_handle_at', x64: 303, arm64: 264 },
  { name: 'open_by_handle_at', x64: 304, arm64: 265 },
  { name: 'fanotify_init', x64: 300, arm64: 262 },
  { name: 'reboot', x64: 169, arm64: 142 },
  { name: 'swapon', x64: 167, arm64: 224 },
  { name: 'swapoff', x64: 168, arm64: 225 },
  { name: 'acct', x64: 163, arm64: 89 },
  { name: 'syslog', x64: 103, arm64: 116 },
  { name: 'quotactl', x64: 179, arm64: 60 },
  { name: 'quotactl_fd', x64: 443, arm64: 443 },
  { name: 'settimeofday', x64: 164, arm64: 170 },
  { name: 'clock_settime', x64: 227, arm64: 112 },
  { name: 'sethostname', x64: 170, arm64: 161 },
  { name: 'setdomainname', x64: 171, arm64: 162 },
  { name: 'lookup_dcookie', x64: 212, arm64: 18 },
  { name: 'vhangup', x64: 153, arm64: 58 },
  { name: 'move_pages', x64: 279, arm64: 239 },
  { name: 'iopl', x64: 172 },
  { name: 'ioperm', x64: 173 },
  { name: 'modify_ldt', x64: 154 },
  { name: 'uselib', x64: 134 },
];

/** `clone` is for threads and processes, with none of these flags: they make namespaces. */
export const cloneCall = { x64: 56, arm64: 220 } as const;
export const namespaceFlags =
  0x0002_0000 | 0x0200_0000 | 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000;
