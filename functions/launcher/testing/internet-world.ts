/**
 * Run in network and mount namespaces of its own, which stand for a host with a provider: another namespace is the world outside. A
 * sandbox with the network `internet` then connects to addresses of all kinds; prints what answered as JSON.
 */
import { once } from 'node:events';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findHostTools } from '../process/host-tools.ts';
import { startTestLauncher } from './test-launcher.ts';

const run = (...[file = '', ...args]: string[]): void => {
  execFileSync(file, args, { stdio: ['ignore', 'ignore', 'inherit'] });
};

/** Answers on port 8080 of every address, and every question for a name by one of them. */
const outsideProgram = `
const server = require('net').createServer((socket) => socket.end('outside'));
const names = require('dgram').createSocket('udp4');
names.on('message', (query, from) => {
  const isIPv4 = query.readUInt16BE(query.indexOf(0, 12) + 1) === 1;
  const end = query.indexOf(0, 12) + 5;
  const head = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isIPv4 ? 1 : 0, 0, 0, 0, 0]);
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 9];
  const answer = Buffer.concat([head, query.subarray(12, end), Buffer.from(isIPv4 ? record : [])]);
  names.send(answer, from.port, from.address);
});
names.bind(53, '10.9.9.9', () => server.listen(8080, '::', () => require('fs').writeSync(1, 'ready')));
process.stdin.resume().on('end', () => process.exit());`;

const outsideAddresses = [
  '203.0.113.9',
  '10.9.9.9',
  '172.16.9.9',
  '192.168.9.9',
  '169.254.9.9',
  '100.64.9.9',
  '2001:db8:9::9',
  'fd00::9',
  '168.63.129.16',
  'fec0::9',
  '2001::9',
];

const { unshare = '', nsenter = '' } = findHostTools();

async function openWorld(): Promise<() => void> {
  const holder = spawn(unshare, ['--net', 'sh', '-c', 'ip link set lo up && echo up && read end']);
  await once(holder.stdout, 'data');
  const inWorld = [nsenter, '-t', String(holder.pid), '--net'];
  run('ip', 'link', 'set', 'lo', 'up');
  run(
    'ip',
    'link',
    'add',
    'near',
    'type',
    'veth',
    'peer',
    'name',
    'far',
    'netns',
    String(holder.pid),
  );
  run('ip', 'address', 'add', '198.51.100.1/24', 'dev', 'near');
  run('ip', 'address', 'add', '2001:db8:1::1/64', 'dev', 'near', 'nodad');
  // A public address of the host that is not on its way out.
  run('ip', 'address', 'add', '203.0.113.77', 'dev', 'lo');
  run('ip', 'link', 'set', 'near', 'up');
  run(...inWorld, 'ip', 'address', 'add', '198.51.100.2/24', 'dev', 'far');
  run(...inWorld, 'ip', 'address', 'add', '2001:db8:1::2/64', 'dev', 'far', 'nodad');
  for (const address of outsideAddresses) {
    run(...inWorld, 'ip', 'address', 'add', address, 'dev', 'lo');
  }
  run(...inWorld, 'ip', 'link', 'set', 'far', 'up');
  run('ip', 'route', 'add', 'default', 'via', '198.51.100.2');
  run('ip', '-6', 'route', 'add', 'default', 'via', '2001:db8:1::2');
  const [enter = '', ...rest] = inWorld;
  const outside = spawn(enter, [...rest, process.execPath, '-e', outsideProgram], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(outside.stdout, 'data');
  // The host's name server has a private address.
  const folder = mkdtempSync(join(tmpdir(), 'internet-'));
  const resolver = join(folder, 'resolv.conf');
  writeFileSync(resolver, 'nameserver 10.9.9.9\n');
  run('mount', '--bind', resolver, '/etc/resolv.conf');
  return () => {
    outside.stdin.end();
    holder.stdin.end();
    run('umount', '/etc/resolv.conf');
    rmSync(folder, { recursive: true });
  };
}

/** Prints what the other end sends, or the code of the error. */
const connecting = `
const [host, port] = process.argv.slice(1);
const print = (text) => require('fs').writeSync(1, text);
const socket = require('net').connect({ host, port: Number(port) });
socket.setTimeout(20_000, () => { print('no answer'); socket.destroy(); });
socket.on('data', (data) => print(String(data)));
socket.on('error', ({ code }) => print(code)).on('end', () => socket.destroy());`;

/** The same by a socket that is bound to the interface, for which the routes do not count (socket(7), SO_BINDTODEVICE). */
const bound = `
use Socket;
socket(my $s, PF_INET, SOCK_STREAM, 0) or die;
setsockopt($s, SOL_SOCKET, 25, "internet\\0") or die "not bound: $!";
print connect($s, sockaddr_in(8080, inet_aton($ARGV[0]))) ? "connected" : "refused";`;

let step = 'opening the world';
// Sooner than whoever started this stops waiting: says what it hangs at.
const deadline = setTimeout(() => {
  writeSync(
    2,
    `Nothing happened for too long while ${step}: ${process.getActiveResourcesInfo().join()}\n`,
  );
  process.exit(1);
}, 90_000);
const close = await openWorld();
step = 'starting the launcher';
const host = createServer((socket) => socket.end('host'));
host.listen(9090, '::');
await once(host, 'listening');
const t = await startTestLauncher({
  internet: true,
  service: { address: '127.0.0.2', port: 443, name: 'hob.example' },
  log: (line) => writeSync(2, `${line}\n`),
});
const { noInternet } = t.launcher.isolation;
const found: Record<string, string> = {};
if (noInternet === undefined) {
  const mounts = [{ from: process.execPath, to: '/opt/node' }];
  const sandbox = await t.open({ memoryMiB: 256, mounts, network: { kind: 'internet' } });
  await sandbox.serveOnLoopback((socket) => socket.end('service'));
  for (const [address, port] of [
    ...outsideAddresses.map((outside) => [outside, 8080] as const),
    ...['198.51.100.1', '203.0.113.77', '127.0.0.1', '2001:db8:1::1', '::1'].map(
      (own) => [own, 9090] as const,
    ),
    ['::ffff:10.9.9.9', 8080],
    ['outside.example', 8080],
    ['hob.example', 443],
  ] as const) {
    step = `connecting to ${address} ${port}`;
    const command = ['/opt/node', '-e', connecting, address, String(port)] as const;
    found[`${address} ${port}`] = (await t.run(sandbox, '', { command })).output.trim();
  }
  for (const address of ['203.0.113.9', '10.9.9.9']) {
    const command = ['/usr/bin/perl', '-e', bound, address] as const;
    found[`${address} bound`] = (await t.run(sandbox, '', { command })).output.trim();
  }
  step = 'closing the sandbox';
  await sandbox.close();
}
step = 'closing the launcher';
await t.close();
host.close();
close();
clearTimeout(deadline);
writeSync(1, JSON.stringify({ noInternet, found }));
