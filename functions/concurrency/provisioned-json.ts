import type { putProvisionedConcurrencyConfig } from '#functions-contract/operations/concurrency.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { wireTime } from '../json/lambda-timestamp.ts';
import type { Provisioned } from './provisioned.ts';

export type ProvisionedConfig = StructureOf<(typeof putProvisionedConcurrencyConfig)['output']>;

export function representProvisioned(provisioned: Omit<Provisioned, 'id'>): ProvisionedConfig {
  const { requested, available, status, statusReason, lastModified } = provisioned;
  return {
    RequestedProvisionedConcurrentExecutions: requested,
    AvailableProvisionedConcurrentExecutions: available,
    AllocatedProvisionedConcurrentExecutions: available,
    Status: status,
    ...(statusReason === undefined ? {} : { StatusReason: statusReason }),
    LastModified: wireTime(lastModified),
  };
}
