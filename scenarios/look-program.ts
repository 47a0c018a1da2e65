/**
 * A runtime of one's own that looks around, in the one language that every Debian has. An event says by `do` what: `look` reports what
 * the program was given and what it reaches; `send` sends bytes to the Runtime API and reports the response; `answer` sends
 * them instead of a response. Bytes travel as hexadecimal digits; `REQUEST-ID` in them becomes that of the event. With `START_BYTES`
 * among its variables it sends those before it asks for its first event, and ends.
 */
export const lookProgram: string = `#!/usr/bin/perl
use strict;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
$| = 1;
$SIG{PIPE} = 'IGNORE';

sub api { return IO::Socket::INET->new(PeerAddr => $ENV{AWS_LAMBDA_RUNTIME_API}) or die "no Runtime API"; }

sub received {
  my ($from) = @_;
  my ($head, $body) = ('', '');
  while (my $line = <$from>) { last if $line eq "\\r\\n"; $head .= $line; }
  my ($length) = $head =~ /content-length: *(\\d+)/i;
  read($from, $body, $length) if $length;
  return ($head, $body);
}

sub exchanged {
  my ($bytes) = @_;
  my $socket = api();
  print $socket $bytes;
  my $heard = '';
  eval {
    local $SIG{ALRM} = sub { die "late\\n" };
    alarm 1;
    while (sysread($socket, my $piece, 65536)) { $heard .= $piece; }
    alarm 0;
  };
  close $socket;
  return substr($heard, 0, 20000);
}

sub text {
  my ($text) = @_;
  return '"' . unpack('H*', $text) . '"';
}
sub list { return '[' . join(',', map { text($_) } @_) . ']'; }
sub lines {
  my ($path) = @_;
  open(my $file, '<', $path) or return ();
  my @lines = <$file>;
  chomp @lines;
  return @lines;
}
sub names {
  my ($path) = @_;
  opendir(my $folder, $path) or return ();
  return sort grep { $_ ne '.' && $_ ne '..' } readdir $folder;
}
sub connects {
  my ($port) = @_;
  # The Runtime API listens on a port of the sandbox's own loopback, which can be the number of one of the host's.
  return 0 if $ENV{AWS_LAMBDA_RUNTIME_API} eq "127.0.0.1:$port";
  return IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 1) ? 1 : 0;
}

sub opens {
  open(my $file, '<', $_[0]) or return 0;
  return defined sysread($file, my $byte, 1);
}

sub peer {
  open(my $file, '<&=', $_[0]) or return ();
  return getpeername($file) || ();
}

sub look {
  my ($event, $head) = @_;
  my @paths = split /\\n/, pack('H*', $event =~ /"paths":"([0-9a-f]*)"/ ? $1 : '');
  my @pids = split /,/, ($event =~ /"pids":"([0-9,]*)"/ ? $1 : '');
  my @ports = split /,/, ($event =~ /"ports":"([0-9,]*)"/ ? $1 : '');
  my %status = map { /^(\\w+):\\s*(\\S*)/ ? ($1, $2) : () } lines('/proc/self/status');
  my @mounts = map { (split / /)[4] } lines('/proc/self/mountinfo');
  my @sockets = map { (split ' ')[7] || () } lines('/proc/net/unix');
  my @groups = map { (split /:/, $_, 3)[2] } lines('/proc/self/cgroup');
  my @interfaces = map { /^\\s*([^:\\s]+):/ ? $1 : () } lines('/proc/net/dev');
  my @writable = grep { my $made = "$_/.made"; open(my $file, '>', $made) ? unlink($made) : 0 }
    ('/', '/etc', '/usr', '/var/task', '/opt', '/proc', '/dev', '/run', '/root', '/home');
  return '{' . join(',',
    '"words":' . list($0, @ARGV),
    '"variables":{' . join(',', map { text($_) . ':' . text($ENV{$_}) } sort keys %ENV) . '}',
    '"directory":' . text(POSIX::getcwd() || ''),
    '"head":' . text($head),
    '"root":' . list(names('/')),
    '"mounts":' . list(sort @mounts),
    '"sockets":' . list(@sockets),
    '"peers":' . list(map { peer($_) } 0..20),
    '"groups":' . list(@groups),
    '"interfaces":' . list(@interfaces),
    '"processes":' . scalar(grep { /^\\d+$/ } names('/proc')),
    '"seen":' . list(grep { -e $_ || -l $_ } @paths),
    '"readable":' . list(grep { opens($_) } @paths),
    '"answering":' . list(grep { IO::Socket::UNIX->new(Peer => $_) } @paths),
    '"signalled":' . list(grep { kill 0, $_ } @pids),
    '"connected":' . list(grep { connects($_) } @ports),
    '"writable":' . list(@writable),
    '"capabilities":' . text($status{CapEff}),
    '"privileges":' . text($status{NoNewPrivs}),
    '"filter":' . text($status{Seccomp})) . '}';
}

if (my $start = $ENV{START_BYTES}) {
  print 'sent: ', exchanged(pack('H*', $start)), "\\n";
  exit 3;
}
while (1) {
  my $socket = api();
  print $socket "GET /2018-06-01/runtime/invocation/next HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n";
  my ($head, $event) = received($socket);
  my ($id) = $head =~ /lambda-runtime-aws-request-id: *(\\S+)/i;
  my $bytes = pack('H*', $event =~ /"bytes":"([0-9a-f]*)"/ ? $1 : '');
  $bytes =~ s/REQUEST-ID/$id/g;
  if ($event =~ /"do":"answer"/) { exchanged($bytes); next; }
  my $answer = $event =~ /"do":"send"/ ? text(exchanged($bytes)) : look($event, $head);
  my $length = length $answer;
  print $socket "POST /2018-06-01/runtime/invocation/$id/response HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: $length\\r\\n\\r\\n$answer";
  received($socket);
  close $socket;
}
`;

/** The report of `look`, parsed. */
export interface Look {
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Of the event, as the Runtime API handed it out. */
  readonly head: string;
  readonly root: readonly string[];
  readonly mounts: readonly string[];
  readonly sockets: readonly string[];
  /** Addresses of what its open files are connected to. */
  readonly peers: readonly string[];
  readonly groups: readonly string[];
  readonly interfaces: readonly string[];
  readonly processes: number;
  readonly seen: readonly string[];
  /** Files among the paths. */
  readonly readable: readonly string[];
  /** Unix sockets among the paths that accept a connection. */
  readonly answering: readonly string[];
  readonly signalled: readonly string[];
  readonly connected: readonly string[];
  readonly writable: readonly string[];
  readonly capabilities: string;
  readonly privileges: string;
  readonly filter: string;
}

export function readLook(json: string): Look {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the program above
  return JSON.parse(json, (_key, value: unknown) => decoded(value)) as Look;
}

export function textOf(hexadecimal: string): string {
  return Buffer.from(hexadecimal, 'hex').toString();
}

function decoded(value: unknown): unknown {
  if (typeof value === 'string') return textOf(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  const hexadecimal = entries.length > 0 && entries.every(([key]) => /^([0-9a-f]{2})+$/.test(key));
  return hexadecimal
    ? Object.fromEntries(entries.map(([key, item]: [string, unknown]) => [textOf(key), item]))
    : value;
}
