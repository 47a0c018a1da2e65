import type { KeyRing } from './key-ring.ts';
import type { ServiceKey } from './service-key.ts';

export interface KeyPorts {
  readonly serviceKey: ServiceKey;
  readonly keys: KeyRing;
}
