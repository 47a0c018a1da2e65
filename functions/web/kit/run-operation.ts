import type { Operation } from '#functions-contract/operation.ts';
import type { StructureOf, StructureShape } from '#functions-contract/shape.ts';

import type { FunctionPorts, OperationHandler } from '../../http/call.ts';
import { performOperation } from '../../http/perform-operation.ts';
import { parseInput } from '../../http/read-input.ts';
import type { SignedPrincipal } from '../../signing/principal.ts';
import type { RunOperation } from './console-context.ts';

/** Runs operations in this process for a page. */
export function createRunOperation(
  ports: FunctionPorts,
  operations: readonly OperationHandler[],
): (principal: SignedPrincipal, sourceAddress: string) => RunOperation {
  const byName = new Map(operations.map((served) => [served.operation.name, served]));
  return (principal, sourceAddress) =>
    <I extends StructureShape, O extends StructureShape>(operation: Operation<I, O>) =>
    async (input: StructureOf<I>): Promise<StructureOf<O>> => {
      const served = byName.get(operation.name);
      if (!served) throw new Error(`${operation.name} is not served.`);
      const facts = {
        requestId: ports.random.id(),
        principal,
        sourceAddress,
        traceHeader: undefined,
      };
      const output = await performOperation(ports, served, facts, () =>
        parseInput(operation, { ...input }),
      );
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- bindOperation() ties the handler to this very shape
      return output as StructureOf<O>;
    };
}
