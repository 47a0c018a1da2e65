import { FunctionsError } from '../errors/functions-error.ts';
import { listStatements } from '../permissions/policy-store.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import type { SignatureVerifier } from '../signing/signature-verifier.ts';
import type { SignedPrincipal } from '../signing/principal.ts';
import type { RequestHead } from '../signing/request-head.ts';
import type { FunctionUrl } from './function-url.ts';

interface AccessPorts extends Pick<SystemPorts, 'database'> {
  readonly signatures: SignatureVerifier;
}

/**
 * Who may use a function's address: everybody where the policy says so, or whoever signs with a key of this account. Undefined
 * is everybody.
 */
export async function checkAccess(
  ports: AccessPorts,
  url: FunctionUrl,
  head: RequestHead,
  body: Uint8Array,
): Promise<SignedPrincipal | undefined> {
  if (url.authType === 'NONE') {
    if (await isPublic(ports, url)) return undefined;
    throw forbidden();
  }
  const principal = await signerOf(ports, head, body);
  // That the operator lets unsigned calls of operations pass does not open what asks for a signature itself.
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

/** A condition other than that on the kind of the address is for somebody in particular. */
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
  head: RequestHead,
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
