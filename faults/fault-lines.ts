/** Faults that the server has logged, each kind once. */
export function faultLines(output: string): string[] {
  const kinds = new Map<string, number>();
  for (const line of output.split('\n')) {
    if (!/"level":"(error|fatal)"/.test(line)) continue;
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    const said = (err?.message ?? '').replaceAll(/'[^']*'|\/[^\s']*/g, '…').replaceAll(/\d+/g, 'N');
    const kind = `${msg ?? ''}: ${said}`.slice(0, 160);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, count]) => `logged ${count} × ${kind}`);
}
