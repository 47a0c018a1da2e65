export interface HeartbeatTimes {
  /** Between two questions. */
  readonly intervalMilliseconds: number;
  /** For which a question may stay without a response. */
  readonly silenceMilliseconds: number;
}

/**
 * Time between two questions to the git process and the launcher, and time without an answer after which they count as hanging
 * and are killed. Longer than a process that works is ever silent, also on a host that is very busy.
 */
const usualTimes: HeartbeatTimes = { intervalMilliseconds: 1000, silenceMilliseconds: 10_000 };

/**
 * Asks a process of ours again and again whether it still answers, and calls back once when it has been silent for too long: it
 * hangs, or was stopped. A refusal is a response, since the end of a process is seen elsewhere. What is returned ends the asking.
 */
export function startHeartbeat(
  ask: () => Promise<unknown>,
  onSilence: () => void,
  { intervalMilliseconds, silenceMilliseconds }: HeartbeatTimes = usualTimes,
): () => void {
  let waitsForAnswer = false;
  // Intervals, not time: while this process itself stands still, none of them passes.
  let silentIntervals = 0;
  const answered = (): void => {
    waitsForAnswer = false;
    silentIntervals = 0;
  };
  const timer = setInterval(() => {
    if (!waitsForAnswer) {
      waitsForAnswer = true;
      ask().then(answered, answered);
      return;
    }
    silentIntervals += 1;
    if (silentIntervals * intervalMilliseconds < silenceMilliseconds) return;
    clearInterval(timer);
    onSilence();
  }, intervalMilliseconds);
  return () => clearInterval(timer);
}
