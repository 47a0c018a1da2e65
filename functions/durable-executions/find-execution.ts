import type { Sql } from '#platform/database/database.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import type { Site } from '../model/function-name.ts';
import { findExecution } from './execution-store.ts';
import { executionArn, type Execution } from './execution.ts';

/** The execution of an ARN that satisfies the contract's pattern; every part of the ARN must match. */
export async function findByArn(sql: Sql, site: Site, arn: string): Promise<Execution | undefined> {
  const execution = await findExecution(sql, arn.slice(arn.lastIndexOf('/') + 1));
  return execution && executionArn(site, execution) === arn ? execution : undefined;
}

export async function getByArn(sql: Sql, site: Site, arn: string): Promise<Execution> {
  const execution = await findByArn(sql, site, arn);
  if (execution) return execution;
  throw new FunctionsError('ResourceNotFoundException', 'Durable Execution does not exist');
}
