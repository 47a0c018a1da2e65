import type { Operation } from '#functions-contract/operation.ts';
import type { StructureShape, StructureOf } from '#functions-contract/shape.ts';

import type { AuditLog } from '../audit/audit-log.ts';
import type { CodePorts } from '../code/ingest-code.ts';
import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import type { DurableExecutions } from '../durable-executions/executions.ts';
import type { EventQueue } from '../events/event-queue.ts';
import type { RunPorts } from '../invocation/run-function.ts';
import type { KeyPorts } from '../keys/key-ring.ts';
import type { LayerLookup } from '../layers/find-layer.ts';
import type { DeployedBranches } from '../ports/deployed-branches.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import type { SignedPrincipal } from '../signing/principal.ts';
import type { SignatureVerifier } from '../signing/signature-verifier.ts';

/** What an operation knows about the request in addition to its input. */
interface Call {
  readonly requestId: string;
  /** The trace that the caller is part of. */
  readonly traceHeader: string | undefined;
  readonly principal: SignedPrincipal;
  /** Adds a warning to the call's entry in the audit log. */
  readonly warn: (warning: string) => void;
}

/** An operation and its handler. */
export interface OperationHandler {
  readonly operation: Operation;
  /** Given the input of that operation, parsed and within its constraints. */
  readonly handle: (input: object, call: Call) => Promise<object>;
}

/** Makes the handler of an operation; a route file exports a list of these. */
export type CreateHandler = (ports: FunctionPorts) => OperationHandler;

/** Ties a handler to the types of its operation. */
export function bindOperation<I extends StructureShape, O extends StructureShape>(
  operation: Operation<I, O>,
  handle: (input: StructureOf<I>, call: Call) => Promise<StructureOf<O>>,
): OperationHandler {
  return {
    operation,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readInput() made it by this very shape
    handle: (input, call) => handle(input as StructureOf<I>, call),
  };
}

/** The ports of every area, for operations. Lower layers take only the ports of their own area. */
export interface FunctionPorts extends SystemPorts, KeyPorts, CodePorts, RunPorts {
  readonly configured: ConfiguredResources;
  /** Those of them that the operator's file declares. */
  readonly fileResources: ConfiguredResources;
  /** Of the whole server. */
  readonly dataDirectory: string;
  readonly layers: LayerLookup;
  readonly signatures: SignatureVerifier;
  readonly audit: AuditLog;
  /** The files of all log groups are in here. */
  readonly logFolder: string;
  readonly events: EventQueue;
  readonly durable: DurableExecutions;
  /** Undefined where this service runs without the forge. */
  readonly branches: DeployedBranches | undefined;
}
