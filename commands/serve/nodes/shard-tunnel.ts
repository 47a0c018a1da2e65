import type { TLSSocket } from 'node:tls';

import { defaultShard } from '#forge/git/process/sharded-git.ts';

import type { PeerProtocol } from './peers.ts';

/** The protocol that names the shard in its first line; the one without names the default shard, and earlier versions know only that one. */
export function tunnelProtocol(shardId: number): PeerProtocol {
  return shardId === defaultShard ? 'hob-git' : 'hob-git-shard';
}

/** A connection to git of a shard at its owner. */
export function beginTunnel(socket: TLSSocket, shardId: number): TLSSocket {
  if (shardId !== defaultShard) socket.write(`${shardId}\n`);
  return socket;
}

/** First line of a connection for git of a shard: the id of the shard, and its end. */
const lineBytesMax = 12;
/** Time for that line to arrive; then the connection is closed. */
const lineMilliseconds = 5000;

/** Reads which shard the connection is for, and nothing after that. */
export function acceptTunnel(socket: TLSSocket, accept: (shardId: number) => void): void {
  let line = '';
  const deadline = setTimeout(() => socket.destroy(), lineMilliseconds);
  const read = (): void => {
    for (let byte = readByte(socket); byte !== undefined; byte = readByte(socket)) {
      if (byte !== '\n') {
        line += byte;
        if (line.length < lineBytesMax && /^\d+$/.test(line)) continue;
        socket.destroy();
        return;
      }
      clearTimeout(deadline);
      socket.removeListener('readable', read);
      if (line === '') socket.destroy();
      else accept(Number(line));
      return;
    }
  };
  socket.on('readable', read);
  socket.once('close', () => clearTimeout(deadline));
}

function readByte(socket: TLSSocket): string | undefined {
  const byte: unknown = socket.read(1);
  return Buffer.isBuffer(byte) ? byte.toString('latin1') : undefined;
}
