import { byServiceKey, secretContext, serviceSealed } from '../keys/key-ring.ts';
import type { SealedColumn } from '../keys/rotate-service-key.ts';
import { variablesContext } from './sealed-variables.ts';

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
