export interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A receiver that takes longer has not accepted it. */
const timeoutMilliseconds = 10_000;

/** Posts, and throws unless it was accepted. Redirects are not followed, and the response body is not read. */
export async function post(
  url: string,
  { headers, body }: Posted,
  signal: AbortSignal,
): Promise<void> {
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  let answer: Response;
  try {
    answer = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
  } catch (error) {
    throw new Error(`${url} did not respond: ${reasonOf(error)}`, { cause: error });
  }
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}.`);
}

export async function postJson(url: string, body: string, signal: AbortSignal): Promise<void> {
  await post(url, jsonRequest(body), signal);
}

export function jsonRequest(body: string): Posted {
  return { headers: { 'content-type': 'application/json' }, body };
}

/** What the network said is the cause of what fetch says. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
