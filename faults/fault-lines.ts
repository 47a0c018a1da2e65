/** Faults that the server has logged, each kind once. */
export function faultLines(message: string): string[] {
  const kinds = new Map<string, number>();
  for (const line of message.split('\n')) {
    if (!/"level":"(error|fatal)"/.test(line)) continue;
    const { msg, err } = parsed(line);
    const reason = (err?.message ?? '')
      .replaceAll(/'[^']*'|\/[^\s']*/g, '…')
      .replaceAll(/\d+/g, 'N');
    const kind = `${msg ?? ''}: ${reason}`.slice(0, 160);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, count]) => `logged ${count} × ${kind}`);
}

/** A server that was killed, or a chunk of its output, may have cut a line. */
function parsed(line: string): { msg?: string; err?: { message?: string } } {
  try {
    return JSON.parse(line);
  } catch {
    return { msg: 'a line that is cut' };
  }
}
