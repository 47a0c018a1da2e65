import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * The yardstick: a server that does nothing but write the bytes it was given, with as many headers as Hob sends.
 * Reads `{path: {status, body, headers}}` from its standard input and prints its port.
 */
interface Canned {
  readonly status: number;
  readonly body: string;
  readonly headers: Record<string, string>;
}

const canned: Record<string, Canned> = JSON.parse(await text(process.stdin));
const answers = new Map(
  Object.entries(canned).map(([path, answer]) => [
    path,
    { ...answer, bytes: Buffer.from(answer.body) },
  ]),
);

const server = createServer((request, response) => {
  const answer = answers.get(request.url ?? '');
  request.resume();
  if (!answer) {
    response.writeHead(404);
    response.end();
    return;
  }
  response.writeHead(answer.status, answer.headers);
  response.end(answer.bytes);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
