/**
 * An extension as a program of a layer, in the one language that every Debian has. `then` is what it does once it is registered,
 * with `call` for calls of the Runtime API and `$id` for itself.
 */
export function perlExtension(then: string = listens): { content: string; mode: number } {
  return { content: `${calls}${then}`, mode: 0o755 };
}

/** Asks for one event after another, and keeps and prints what it hears. */
export const listens = `
while (1) { heard(next_event()); }
`;

const calls = `#!/usr/bin/perl
use strict;
use IO::Socket::INET;
$| = 1;
my ($name) = $0 =~ m{([^/]+)$};
my $socket = IO::Socket::INET->new(PeerAddr => $ENV{AWS_LAMBDA_RUNTIME_API}) or die "no Runtime API";

sub answer {
  my ($from) = @_;
  my ($head, $body) = ('', '');
  while (my $line = <$from>) { last if $line eq "\\r\\n"; $head .= $line; }
  my ($length) = $head =~ /content-length: *(\\d+)/i;
  read($from, $body, $length) if $length;
  return ($head, $body);
}

sub call {
  my ($method, $path, $body, @headers) = @_;
  my $length = 'Content-Length: ' . length($body);
  print $socket join("\\r\\n", "$method $path HTTP/1.1", 'Host: x', $length, @headers, '', $body);
  return answer($socket);
}

my ($registered) = call('POST', '/2020-01-01/extension/register', '{"events":["INVOKE","SHUTDOWN"]}',
  "Lambda-Extension-Name: $name");
my ($id) = $registered =~ /lambda-extension-identifier: *(\\S+)/i;

sub next_event {
  my (undef, $event) = call('GET', '/2020-01-01/extension/event/next', '', "Lambda-Extension-Identifier: $id");
  return $event;
}

sub heard {
  my ($event) = @_;
  open(my $file, '>>', '/tmp/heard') or die;
  print $file "$name $event\\n";
  close $file;
  print "$name heard $event\\n";
  exit 0 if $event =~ /SHUTDOWN/;
}
`;
