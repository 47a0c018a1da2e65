import type { AuditLog } from '../audit/audit-log.ts';
import type { CodePorts } from '../code/code-ports.ts';
import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import type { DurableExecutions } from '../durable-executions/executions.ts';
import type { EventQueue } from '../events/event-queue.ts';
import type { RunPorts } from '../invocation/run-function.ts';
import type { KeyPorts } from '../keys/key-ports.ts';
import type { LayerLookup } from '../layers/layer-lookup.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import type { SignatureVerifier } from '../signing/signature-verifier.ts';

/** The ports of every area, for operations. Lower layers take only the ports of their own area. */
export interface FunctionPorts extends SystemPorts, KeyPorts, CodePorts, RunPorts {
  readonly configured: ConfiguredResources;
  readonly layers: LayerLookup;
  readonly signatures: SignatureVerifier;
  readonly audit: AuditLog;
  /** The files of all log groups are in here. */
  readonly logFolder: string;
  readonly events: EventQueue;
  readonly durable: DurableExecutions;
}
