import { serveCreateAlias } from './aliases/operations/create-alias.ts';
import { serveDeleteAlias } from './aliases/operations/delete-alias.ts';
import { serveGetAlias } from './aliases/operations/get-alias.ts';
import { serveListAliases } from './aliases/operations/list-aliases.ts';
import { serveUpdateAlias } from './aliases/operations/update-alias.ts';
import {
  serveCreateCapacityProvider,
  serveDeleteCapacityProvider,
  serveUpdateCapacityProvider,
} from './capacity-providers/operations/change-capacity-providers.ts';
import { serveListFunctionVersionsByCapacityProvider } from './capacity-providers/operations/list-function-versions-by-capacity-provider.ts';
import {
  serveGetCapacityProvider,
  serveListCapacityProviders,
} from './capacity-providers/operations/read-capacity-providers.ts';
import { serveCreateCodeSigningConfig } from './code-signing/operations/create-code-signing-config.ts';
import { serveDeleteCodeSigningConfig } from './code-signing/operations/delete-code-signing-config.ts';
import { serveDeleteFunctionCodeSigningConfig } from './code-signing/operations/delete-function-code-signing-config.ts';
import { serveGetCodeSigningConfig } from './code-signing/operations/get-code-signing-config.ts';
import { serveGetFunctionCodeSigningConfig } from './code-signing/operations/get-function-code-signing-config.ts';
import { serveListCodeSigningConfigs } from './code-signing/operations/list-code-signing-configs.ts';
import { serveListFunctionsByCodeSigningConfig } from './code-signing/operations/list-functions-by-code-signing-config.ts';
import { servePutFunctionCodeSigningConfig } from './code-signing/operations/put-function-code-signing-config.ts';
import { serveUpdateCodeSigningConfig } from './code-signing/operations/update-code-signing-config.ts';
import { serveDeleteFunctionConcurrency } from './concurrency/operations/delete-function-concurrency.ts';
import { serveDeleteProvisionedConcurrencyConfig } from './concurrency/operations/delete-provisioned-concurrency-config.ts';
import { serveGetAccountSettings } from './concurrency/operations/get-account-settings.ts';
import { serveGetFunctionConcurrency } from './concurrency/operations/get-function-concurrency.ts';
import { serveGetProvisionedConcurrencyConfig } from './concurrency/operations/get-provisioned-concurrency-config.ts';
import { serveListProvisionedConcurrencyConfigs } from './concurrency/operations/list-provisioned-concurrency-configs.ts';
import { servePutFunctionConcurrency } from './concurrency/operations/put-function-concurrency.ts';
import { servePutProvisionedConcurrencyConfig } from './concurrency/operations/put-provisioned-concurrency-config.ts';
import { serveCreateFunction } from './configuration/operations/create-function.ts';
import { serveDeleteFunction } from './configuration/operations/delete-function.ts';
import { serveGetFunctionConfiguration } from './configuration/operations/get-function-configuration.ts';
import { serveGetFunction } from './configuration/operations/get-function.ts';
import { serveListFunctions } from './configuration/operations/list-functions.ts';
import { serveUpdateFunctionCode } from './configuration/operations/update-function-code.ts';
import { serveUpdateFunctionConfiguration } from './configuration/operations/update-function-configuration.ts';
import type { ServedOperation } from './http/call.ts';
import { serveCheckpointDurableExecution } from './durable-executions/operations/checkpoint-durable-execution.ts';
import { serveGetDurableExecutionHistory } from './durable-executions/operations/get-durable-execution-history.ts';
import { serveGetDurableExecutionState } from './durable-executions/operations/get-durable-execution-state.ts';
import { serveGetDurableExecution } from './durable-executions/operations/get-durable-execution.ts';
import { serveListDurableExecutionsByFunction } from './durable-executions/operations/list-durable-executions-by-function.ts';
import {
  serveSendDurableExecutionCallbackFailure,
  serveSendDurableExecutionCallbackHeartbeat,
  serveSendDurableExecutionCallbackSuccess,
} from './durable-executions/operations/send-durable-execution-callbacks.ts';
import { serveStopDurableExecution } from './durable-executions/operations/stop-durable-execution.ts';
import {
  serveCreateEventSourceMapping,
  serveDeleteEventSourceMapping,
  serveGetEventSourceMapping,
  serveListEventSourceMappings,
  serveUpdateEventSourceMapping,
} from './event-source-mappings/operations/event-source-mappings.ts';
import { serveDeleteFunctionEventInvokeConfig } from './events/operations/delete-function-event-invoke-config.ts';
import { serveGetFunctionLogs } from './logs/operations/get-function-logs.ts';
import { serveGetFunctionEventInvokeConfig } from './events/operations/get-function-event-invoke-config.ts';
import { serveInvokeAsync } from './events/operations/invoke-async.ts';
import { serveListFunctionEventInvokeConfigs } from './events/operations/list-function-event-invoke-configs.ts';
import { servePutFunctionEventInvokeConfig } from './events/operations/put-function-event-invoke-config.ts';
import { serveUpdateFunctionEventInvokeConfig } from './events/operations/update-function-event-invoke-config.ts';
import { serveInvokeWithResponseStream } from './invocation/operations/invoke-with-response-stream.ts';
import { serveInvoke } from './invocation/operations/invoke.ts';
import { serveAddLayerVersionPermission } from './layers/operations/add-layer-version-permission.ts';
import { serveDeleteLayerVersion } from './layers/operations/delete-layer-version.ts';
import { serveGetLayerVersionByArn } from './layers/operations/get-layer-version-by-arn.ts';
import { serveGetLayerVersionPolicy } from './layers/operations/get-layer-version-policy.ts';
import { serveGetLayerVersion } from './layers/operations/get-layer-version.ts';
import { serveListLayerVersions } from './layers/operations/list-layer-versions.ts';
import { serveListLayers } from './layers/operations/list-layers.ts';
import { servePublishLayerVersion } from './layers/operations/publish-layer-version.ts';
import { serveRemoveLayerVersionPermission } from './layers/operations/remove-layer-version-permission.ts';
import { serveAddPermission } from './permissions/operations/add-permission.ts';
import { serveGetPolicy } from './permissions/operations/get-policy.ts';
import { serveRemovePermission } from './permissions/operations/remove-permission.ts';
import type { FunctionPorts } from './http/function-ports.ts';
import { serveGetFunctionRecursionConfig } from './recursion/operations/get-function-recursion-config.ts';
import { servePutFunctionRecursionConfig } from './recursion/operations/put-function-recursion-config.ts';
import { serveGetRuntimeManagementConfig } from './runtime-management/operations/get-runtime-management-config.ts';
import { servePutRuntimeManagementConfig } from './runtime-management/operations/put-runtime-management-config.ts';
import { serveListTags } from './tags/operations/list-tags.ts';
import { serveTagResource } from './tags/operations/tag-resource.ts';
import { serveUntagResource } from './tags/operations/untag-resource.ts';
import { serveCreateFunctionUrlConfig } from './urls/operations/create-function-url-config.ts';
import { serveDeleteFunctionUrlConfig } from './urls/operations/delete-function-url-config.ts';
import { serveGetFunctionUrlConfig } from './urls/operations/get-function-url-config.ts';
import { serveListFunctionUrlConfigs } from './urls/operations/list-function-url-configs.ts';
import { serveUpdateFunctionUrlConfig } from './urls/operations/update-function-url-config.ts';
import { serveListVersionsByFunction } from './versions/operations/list-versions-by-function.ts';
import { servePublishVersion } from './versions/operations/publish-version.ts';

/** Every operation of the service, the one of the spec first: a table of contents. */
export function servedOperations(ports: FunctionPorts): readonly ServedOperation[] {
  return [
    serveUpdateFunctionConfiguration,
    serveGetFunctionConfiguration,
    serveGetFunction,
    serveCreateFunction,
    serveUpdateFunctionCode,
    serveDeleteFunction,
    serveListFunctions,
    serveInvoke,
    serveInvokeWithResponseStream,
    serveInvokeAsync,
    servePublishVersion,
    serveListVersionsByFunction,
    serveCreateAlias,
    serveGetAlias,
    serveUpdateAlias,
    serveDeleteAlias,
    serveListAliases,
    serveAddPermission,
    serveGetPolicy,
    serveRemovePermission,
    serveListTags,
    serveTagResource,
    serveUntagResource,
    servePutFunctionConcurrency,
    serveGetFunctionConcurrency,
    serveDeleteFunctionConcurrency,
    serveGetAccountSettings,
    servePutProvisionedConcurrencyConfig,
    serveGetProvisionedConcurrencyConfig,
    serveDeleteProvisionedConcurrencyConfig,
    serveListProvisionedConcurrencyConfigs,
    servePublishLayerVersion,
    serveGetLayerVersion,
    serveGetLayerVersionByArn,
    serveDeleteLayerVersion,
    serveListLayerVersions,
    serveListLayers,
    serveAddLayerVersionPermission,
    serveGetLayerVersionPolicy,
    serveRemoveLayerVersionPermission,
    serveGetRuntimeManagementConfig,
    servePutRuntimeManagementConfig,
    serveGetFunctionRecursionConfig,
    servePutFunctionRecursionConfig,
    serveCreateCodeSigningConfig,
    serveGetCodeSigningConfig,
    serveUpdateCodeSigningConfig,
    serveDeleteCodeSigningConfig,
    serveListCodeSigningConfigs,
    serveListFunctionsByCodeSigningConfig,
    servePutFunctionCodeSigningConfig,
    serveGetFunctionCodeSigningConfig,
    serveDeleteFunctionCodeSigningConfig,
    serveCreateFunctionUrlConfig,
    serveGetFunctionUrlConfig,
    serveUpdateFunctionUrlConfig,
    serveDeleteFunctionUrlConfig,
    serveListFunctionUrlConfigs,
    serveListEventSourceMappings,
    serveGetEventSourceMapping,
    serveCreateEventSourceMapping,
    serveUpdateEventSourceMapping,
    serveDeleteEventSourceMapping,
    serveListCapacityProviders,
    serveGetCapacityProvider,
    serveCreateCapacityProvider,
    serveUpdateCapacityProvider,
    serveDeleteCapacityProvider,
    serveListFunctionVersionsByCapacityProvider,
    serveListDurableExecutionsByFunction,
    serveGetDurableExecution,
    serveGetDurableExecutionHistory,
    serveGetDurableExecutionState,
    serveCheckpointDurableExecution,
    serveStopDurableExecution,
    serveSendDurableExecutionCallbackSuccess,
    serveSendDurableExecutionCallbackFailure,
    serveSendDurableExecutionCallbackHeartbeat,
    servePutFunctionEventInvokeConfig,
    serveUpdateFunctionEventInvokeConfig,
    serveGetFunctionEventInvokeConfig,
    serveDeleteFunctionEventInvokeConfig,
    serveListFunctionEventInvokeConfigs,
    serveGetFunctionLogs,
  ].map((operation) => operation(ports));
}
