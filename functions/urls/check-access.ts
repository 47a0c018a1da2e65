import { FunctionsError } from '../errors/functions-error.ts';
import { listStatements } from '../permissions/policy-store.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import type { SignatureVerifier } from '../signing/signature-verifier.ts';
import type { SignedPrincipal } from '../signing/principal.ts';
import type { RawRequestHead } from '../signing/request-head.ts';
import type { FunctionUrl } from './function-url.ts';

interface AccessPorts extends Pick<SystemPorts, 'database'> {
  readonly signatures: SignatureVerifier;
}

/**
 * Who may use a function URL: everybody if the policy allows it, or callers that sign with a key of this account. Undefined means
 * everybody.
 */
export async function checkAccess(
  ports: AccessPorts,
  url: FunctionUrl,
  head: RawRequestHead,
  body: Uint8Array,
): Promise<SignedPrincipal | undefined> {
  if (url.authType === 'NONE') {
    if (await isPublic(ports, url)) return undefined;
    throw forbidden();
  }
  const principal = await signerOf(ports, head, body);
  // If the operator allows unsigned API calls, a URL with AuthType AWS_IAM still requires a signature.
  if (principal.kind === 'anonymous') throw forbidden();
  return principal;
}

async function isPublic(
  { database }: Pick<AccessPorts, 'database'>,
  url: FunctionUrl,
): Promise<boolean> {
  const statements = await database.read((sql) =>
    listStatements(sql, url.functionId, url.alias ?? ''),
  );
  return statements.some(({ text }) => allowsEverybody(JSON.parse(text)));
}

/** A statement with another condition than that on the AuthType does not allow everybody. */
function allowsEverybody(statement: unknown): boolean {
  if (typeof statement !== 'object' || statement === null) return false;
  const { Principal, Action, Condition }: Partial<Record<string, unknown>> = { ...statement };
  const action = typeof Action === 'string' && actions.has(Action);
  return Principal === '*' && action && isForPublicUrls(Condition);
}

const actions = new Set(['lambda:InvokeFunctionUrl', 'lambda:*', '*']);

function isForPublicUrls(condition: unknown): boolean {
  if (condition === undefined) return true;
  return JSON.stringify(condition) === publicUrlsOnly;
}

const publicUrlsOnly = JSON.stringify({ StringEquals: { 'lambda:FunctionUrlAuthType': 'NONE' } });

async function signerOf(
  { signatures }: Pick<AccessPorts, 'signatures'>,
  head: RawRequestHead,
  body: Uint8Array,
): Promise<SignedPrincipal> {
  try {
    return (await signatures.checkCredential(head)).checkSignature(body);
  } catch (error) {
    if (error instanceof FunctionsError && error.code === 'MissingAuthenticationTokenException') {
      throw forbidden();
    }
    throw error;
  }
}

function forbidden(): FunctionsError {
  return new FunctionsError(
    'AccessDeniedException',
    'Forbidden. For troubleshooting Function URL authorization issues, see: https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html',
  );
}
