/** The states of a function and the reasons for them (docs/specification/functions.md 3.4 and 3.5). */
export const states = [
  'Pending',
  'Active',
  'Inactive',
  'Failed',
  'Deactivating',
  'Deactivated',
  'ActiveNonInvocable',
  'Deleting',
] as const;
export type State = (typeof states)[number];

export const lastUpdateStatuses = ['Successful', 'Failed', 'InProgress'] as const;
export type LastUpdateStatus = (typeof lastUpdateStatuses)[number];

/** The compute reason's name on the wire, which has the product's name in it (docs/specification/functions.md 3.5). */
export const computeRequestLimitExceeded = 'EC2RequestLimitExceeded';

/** Reasons why an update, or the making of a function, failed. */
export const failureReasonCodes = [
  'EniLimitExceeded',
  'InsufficientRolePermissions',
  'InvalidConfiguration',
  'InternalError',
  'SubnetOutOfIPAddresses',
  'InvalidSubnet',
  'InvalidSecurityGroup',
  'ImageDeleted',
  'ImageAccessDenied',
  'InvalidImage',
  'KMSKeyAccessDenied',
  'KMSKeyNotFound',
  'InvalidStateKMSKey',
  'DisabledKMSKey',
  'EFSIOError',
  'EFSMountConnectivityError',
  'EFSMountFailure',
  'EFSMountTimeout',
  'InvalidRuntime',
  'InvalidZipFileException',
  'FunctionError',
  'VcpuLimitExceeded',
  'CapacityProviderScalingLimitExceeded',
  'InsufficientCapacity',
  computeRequestLimitExceeded,
  'FunctionError.InitTimeout',
  'FunctionError.RuntimeInitError',
  'FunctionError.ExtensionInitError',
  'FunctionError.InvalidEntryPoint',
  'FunctionError.InvalidWorkingDirectory',
  'FunctionError.PermissionDenied',
  'FunctionError.TooManyExtensions',
  'FunctionError.InitResourceExhausted',
  'DisallowedByVpcEncryptionControl',
] as const;
export type FailureReasonCode = (typeof failureReasonCodes)[number];

export const stateReasonCodes = [
  'Idle',
  'Creating',
  'Restoring',
  'DrainingDurableExecutions',
  ...failureReasonCodes,
] as const;
export type StateReasonCode = (typeof stateReasonCodes)[number];
