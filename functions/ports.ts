import type { BackgroundWork } from '#platform/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database.ts';
import type { Random } from '#platform/random.ts';

import type { AuditLog } from './audit/audit-log.ts';
import type { CodeFiles } from './code/code-files.ts';
import type { CodeRoom } from './code/code-room.ts';
import type { Images } from './code/images/images.ts';
import type { ObjectStore } from './code/objects/object-store.ts';
import type { DeclaredResources } from './declared/declared-resources.ts';
import type { DurableExecutions } from './durable-executions/executions.ts';
import type { EnvironmentPool } from './environments/pool/environment-pool.ts';
import type { EventQueue } from './events/event-queue.ts';
import type { RunPorts } from './invocation/run-function.ts';
import type { LayerLookup } from './layers/layer-lookup.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { ServiceKey } from './keys/service-key.ts';
import type { FunctionSettings } from './settings.ts';
import type { SignatureVerifier } from './signing/signature-verifier.ts';

/** What operations and domain verbs reach the world by. */
export interface FunctionPorts extends RunPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Work that goes on after the answer; one run at a time per key, errors are logged. */
  readonly background: BackgroundWork;
  readonly settings: FunctionSettings;
  readonly declared: DeclaredResources;
  readonly serviceKey: ServiceKey;
  readonly keys: KeyRing;
  readonly signatures: SignatureVerifier;
  readonly audit: AuditLog;
  readonly code: CodeFiles;
  readonly codeRoom: CodeRoom;
  readonly images: Images;
  /** Undefined where the operator has declared no object store. */
  readonly objects: ObjectStore | undefined;
  readonly layers: LayerLookup;
  readonly environments: EnvironmentPool;
  /** The files of all log groups are in here. */
  readonly logFolder: string;
  readonly events: EventQueue;
  readonly durable: DurableExecutions;
}
