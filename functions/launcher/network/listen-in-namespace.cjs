/**
 * Run by `node -e` inside a network namespace, briefly: listens there and passes the listener to the launcher outside. A socket stays
 * in the network namespace in which it was created. In JavaScript: Node takes as long to strip types as for the rest of its start.
 */
const { createServer } = require('node:net');

const [host, port] = process.argv.slice(1);
const server = createServer();
server.listen({ host, port: Number(port), backlog: 128 }, () => {
  process.send?.('listening', server);
});
// The launcher has it.
process.once('disconnect', () => server.close());
