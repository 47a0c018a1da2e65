/** Time after a stop for what is under way on disk; then the process is killed. */
const hungMillisecondsDefault = 5000;

/**
 * Node does not exit while a file does not answer, as on a volume whose server is gone. Whoever waits for the end of this process, as a standby
 * does, must not wait for that.
 */
export function endWhereFilesHang(milliseconds = hungMillisecondsDefault): void {
  setTimeout(() => {
    process.stderr.write(
      'hob: The server has stopped, but its process does not end, as where a file does not answer: it is killed.\n',
    );
    process.kill(process.pid, 'SIGKILL');
  }, milliseconds).unref();
}
