import type { SignedPrincipal } from '../signing/principal.ts';
import { element, type Xml } from './protocol-errors.ts';
import { ServiceError } from '../errors/service-error.ts';

const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/';

/** `GetCallerIdentity` of the Security Token Service, by which tools find out whose key they have. */
export function answerTokenService(
  action: string | null,
  principal: SignedPrincipal,
  requestId: string,
): Xml {
  if (action !== 'GetCallerIdentity') {
    throw new ServiceError(
      'InvalidAction',
      `Unsupported STS action: ${action ?? 'none'}. This server supports only GetCallerIdentity, and cannot assume roles: sign with an access key.`,
    );
  }
  if (principal.kind === 'anonymous') {
    throw new ServiceError(
      'MissingAuthenticationToken',
      'Request is missing Authentication Token',
      403,
    );
  }
  return element(
    'GetCallerIdentityResponse',
    [
      element('GetCallerIdentityResult', [
        element('Arn', principal.arn),
        element('UserId', principal.userId),
        element('Account', principal.accountId),
      ]),
      element('ResponseMetadata', [element('RequestId', requestId)]),
    ],
    { xmlns: namespace },
  );
}
