/**
 * Run by `node -e` inside a network namespace, briefly: connects there and passes the connection to the launcher outside. A socket
 * stays in the network namespace in which it was created. In JavaScript as listen-in-namespace.cjs is.
 */
const { connect } = require('node:net');

const [host, port] = process.argv.slice(1);
const socket = connect({ host: host ?? '', port: Number(port) });
socket.once('connect', () => {
  process.send?.('connected', socket);
});
// Nothing listens there; the exit status reports it.
socket.once('error', () => process.exit(1));
