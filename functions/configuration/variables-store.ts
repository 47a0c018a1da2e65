import { byServiceKey, secretContext, serviceSealed, type KeyRing } from '../keys/key-ring.ts';
import type { KeyRefusal } from '../keys/key.ts';
import type { SealedColumn } from '../keys/rotate-service-key.ts';
import { Secret } from '../keys/secret.ts';
import type { Variables } from './configuration.ts';

/** Variables that are not encrypted with a KMS key, for rotation of the service key. */
export const functionVariables: SealedColumn = {
  async list(sql, sealer, after, max) {
    const rows = await sql.all<{ id: number; sealed_variables: string; name: string }>(
      `select c.id, c.sealed_variables, f.name
       from function_configurations c join functions f on f.id = c.function_id
       where c.id > $3 and c.sealed_variables like $1 and c.sealed_variables not like $2
       order by c.id limit $4`,
      byServiceKey('%'),
      byServiceKey(`${sealer}.%`),
      Number(after),
      max,
    );
    return rows.map((row) => ({
      id: String(row.id),
      text: serviceSealed(row.sealed_variables) ?? '',
      context: secretContext(variablesContext(row.name)),
    }));
  },
  async replace(sql, id, old, text) {
    await sql.run(
      'update function_configurations set sealed_variables = $3 where id = $1 and sealed_variables = $2',
      Number(id),
      byServiceKey(old),
      byServiceKey(text),
    );
  },
};

declare const sealed: unique symbol;

/** Environment variables, encrypted: the only form in which they are stored. */
export type SealedVariables = string & { readonly [sealed]: true };

export type OpenedVariables =
  | { readonly kind: 'never-given' }
  | { readonly kind: 'open'; readonly variables: Secret<Variables> }
  /** Their key can no longer decrypt them. */
  | KeyRefusal;

export type Sealed = { readonly kind: 'sealed'; readonly variables: SealedVariables } | KeyRefusal;

/** Encrypts the variables of a function; its name is authenticated, so that no other ciphertext can replace them. */
export async function sealVariables(
  keys: KeyRing,
  functionName: string,
  variables: Secret<Variables>,
  keyArn: string | undefined,
): Promise<Sealed> {
  const plain = Buffer.from(JSON.stringify(variables.reveal()));
  const encrypted = await keys.encrypt(plain, keyArn, variablesContext(functionName));
  return encrypted.kind === 'refused'
    ? encrypted
    : { kind: 'sealed', variables: storedVariables(encrypted.sealed) };
}

export async function openVariables(
  keys: KeyRing,
  functionName: string,
  variables: SealedVariables | undefined,
): Promise<OpenedVariables> {
  if (variables === undefined) return { kind: 'never-given' };
  const opened = await keys.decrypt(variables, variablesContext(functionName));
  if (opened.kind === 'refused') return opened;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sealed by this file, and authentic
  const plain = JSON.parse(Buffer.from(opened.plain).toString()) as Variables;
  return { kind: 'open', variables: new Secret(plain) };
}

/** The store contains only encrypted variables. */
export function storedVariables(text: string): SealedVariables {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a brand
  return text as SealedVariables;
}

/** The encryption context of a function's variables. */
function variablesContext(functionName: string): string {
  return `environment of ${functionName}`;
}
