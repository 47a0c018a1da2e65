/** Why a request got no response. */
export type NetworkProblem =
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'connect-timeout' }
  | { readonly kind: 'read-timeout' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'tls'; readonly detail: string }
  | { readonly kind: 'other'; readonly detail: string };

/** Thrown by transports. */
export class NetworkError extends Error {
  readonly problem: NetworkProblem;
  /** A response without an error had started: the service has done what the request asks for. */
  readonly isAnswered: boolean;

  constructor(problem: NetworkProblem, isAnswered = false) {
    super(problem.kind);
    this.name = 'NetworkError';
    this.problem = problem;
    this.isAnswered = isAnswered;
  }
}

/** With the messages that scripts know from the AWS CLI. */
export function networkMessage(problem: NetworkProblem, url: string): string {
  switch (problem.kind) {
    case 'unreachable':
      return `Could not connect to the endpoint URL: "${url}"`;
    case 'connect-timeout':
      return `Connect timeout on endpoint URL: "${url}"`;
    case 'read-timeout':
      return `Read timeout on endpoint URL: "${url}"`;
    case 'closed':
      return `Connection was closed before we received a valid response from endpoint URL: "${url}".`;
    case 'tls':
      return `SSL validation failed for ${url} ${problem.detail}`;
    case 'other':
      return `An HTTP Client raised an unhandled exception: ${problem.detail}`;
  }
}

/** What an error of node:http, node:net or node:tls means. */
export function networkProblem(error: unknown, phase: 'connecting' | 'connected'): NetworkProblem {
  if (error instanceof NetworkError) return error.problem;
  if (!(error instanceof Error)) return { kind: 'other', detail: String(error) };
  const code = 'code' in error ? String(error.code) : '';
  if (phase === 'connecting' && unreachable.has(code)) return { kind: 'unreachable' };
  if (/CERT|_TLS_|^ERR_SSL|ISSUER|SIGNED|VERIFY|EPROTO/.test(code)) {
    return { kind: 'tls', detail: error.message };
  }
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED')
    return { kind: 'closed' };
  return { kind: 'other', detail: error.message };
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'ECONNRESET',
]);
