/**
 * Run for a moment inside a network namespace: connects there and hands the connection to the launcher, who is outside. A socket
 * stays in the network where it was made.
 */
import { connect } from 'node:net';

const [host, port] = process.argv.slice(2);
const socket = connect({ host: host ?? '', port: Number(port) });
socket.once('connect', () => {
  process.send?.('connected', socket);
});
// Nobody listens there: the exit tells.
socket.once('error', () => process.exit(1));
