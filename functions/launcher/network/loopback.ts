import type { HostTools } from '../process/host-tools.ts';
import { quoted } from '../process/shell-quote.ts';

/** A line of shell that brings up the loopback of a new network namespace. */
export function loopbackUp(tools: HostTools): string | undefined {
  if (tools.ip !== undefined) return `${quoted(tools.ip)} link set lo up`;
  // Debian always has perl, and ip only sometimes. SIOCSIFFLAGS with IFF_UP | IFF_RUNNING, see netdevice(7).
  if (tools.perl !== undefined) return `${quoted(tools.perl)} -e ${quoted(perlProgram)}`;
  return undefined;
}

const perlProgram =
  '$r=pack("a16sx22","lo",0x41);socket(S,2,2,0)&&ioctl(S,0x8914,$r)||die "The loopback does not come up: $!"';
