/**
 * Run for a moment inside a network namespace: listens there and hands the listener to the launcher, who is outside. A socket
 * stays in the network where it was made.
 */
import { createServer } from 'node:net';

const [host, port] = process.argv.slice(2);
const server = createServer();
server.listen({ host, port: Number(port), backlog: 128 }, () => {
  process.send?.('listening', server);
});
// The launcher has it.
process.once('disconnect', () => server.close());
