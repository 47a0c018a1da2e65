import type { SigningTime } from './signing-time.ts';
import { incompleteSignature, invalidSignature } from './signature-refusals.ts';

/** `AKIA…/20260102/us-east-1/lambda/aws4_request` */
export interface CredentialScope {
  readonly accessKeyId: string;
  readonly day: string;
  readonly region: string;
  readonly service: string;
  readonly terminator: string;
  /** All of it but the key's id. */
  readonly text: string;
}

/** Services whose requests this one answers, by their names in credential scopes. */
export type SignedService = 'lambda' | 'logs' | 'sts';

export const scopeTerminator = 'aws4_request';

export function readScope(text: string): CredentialScope {
  const [accessKeyId, day, region, service, terminator, ...more] = text.split('/');
  if (
    !accessKeyId ||
    day === undefined ||
    region === undefined ||
    service === undefined ||
    terminator === undefined ||
    more.length > 0
  ) {
    throw incompleteSignature(
      `Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '${text}'`,
    );
  }
  return {
    accessKeyId,
    day,
    region,
    service,
    terminator,
    text: text.slice(accessKeyId.length + 1),
  };
}

/** A signature for another region, service or day is not one for this request. */
export function checkScope(
  scope: CredentialScope,
  signed: SigningTime,
  { region, service }: { readonly region: string; readonly service: SignedService },
): void {
  if (scope.terminator !== scopeTerminator) {
    throw invalidSignature(
      `Credential should be scoped with a valid terminator: '${scopeTerminator}', not '${scope.terminator}'`,
    );
  }
  if (scope.region !== region) {
    throw invalidSignature(`Credential should be scoped to a valid region, not '${scope.region}'.`);
  }
  if (scope.service !== service) {
    throw invalidSignature(`Credential should be scoped to correct service: '${service}'.`);
  }
  if (scope.day !== signed.text.slice(0, 8)) {
    throw invalidSignature(
      'Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP',
    );
  }
}
