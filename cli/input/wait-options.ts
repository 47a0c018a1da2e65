import type { Operation } from '#functions-contract/operation.ts';

import type { Option } from './argument-parser.ts';

/** Options that the AWS CLI lacks: options that spare a script its reading before and its waiting after. */
export function careOptions(operation: Operation): Option[] {
  const wait: Option[] = canBeWaitedFor(operation)
    ? [{ name: 'wait', arity: 'none', unabbreviated: true }]
    : [];
  if (operation.name !== 'UpdateFunctionConfiguration') return wait;
  return [
    { name: 'set-env', arity: 'variadic', collects: true, unabbreviated: true },
    { name: 'unset-env', arity: 'variadic', collects: true, unabbreviated: true },
    ...wait,
  ];
}

/** Whether the record answered can still be on its way. */
function canBeWaitedFor(operation: Operation): boolean {
  return operation.method !== 'GET' && 'LastUpdateStatus' in operation.output.members;
}
