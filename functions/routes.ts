import { aliasRoutes } from './aliases/alias-routes.ts';
import { capacityProviderRoutes } from './capacity-providers/capacity-provider-routes.ts';
import { codeSigningRoutes } from './code-signing/code-signing-routes.ts';
import { concurrencyRoutes } from './concurrency/concurrency-routes.ts';
import { provisionedConcurrencyRoutes } from './concurrency/provisioned-concurrency-routes.ts';
import { functionRoutes } from './configuration/function-routes.ts';
import { functionUpdateRoutes } from './configuration/function-update-routes.ts';
import { durableExecutionRoutes } from './durable-executions/durable-execution-routes.ts';
import { eventSourceMappingRoutes } from './event-source-mappings/event-source-mapping-routes.ts';
import { eventInvokeConfigRoutes } from './events/event-invoke-config-routes.ts';
import type { OperationHandler, FunctionPorts } from './http/call.ts';
import { invokeRoutes } from './invocation/invoke-routes.ts';
import { layerRoutes } from './layers/layer-routes.ts';
import { logRoutes } from './logs/log-routes.ts';
import { permissionRoutes } from './permissions/permission-routes.ts';
import { recursionRoutes } from './recursion/recursion-routes.ts';
import { pushDeploymentRoutes } from './push-deployments/push-deployment-routes.ts';
import { runtimeManagementRoutes } from './runtime-management/runtime-management-routes.ts';
import { tagRoutes } from './tags/tag-routes.ts';
import { functionUrlRoutes } from './urls/function-url-routes.ts';
import { versionRoutes } from './versions/version-routes.ts';

/** Every operation of the service, by resource. */
export function operationHandlers(ports: FunctionPorts): readonly OperationHandler[] {
  return [
    ...functionRoutes,
    ...functionUpdateRoutes,
    ...invokeRoutes,
    ...versionRoutes,
    ...aliasRoutes,
    ...permissionRoutes,
    ...tagRoutes,
    ...concurrencyRoutes,
    ...provisionedConcurrencyRoutes,
    ...layerRoutes,
    ...runtimeManagementRoutes,
    ...recursionRoutes,
    ...codeSigningRoutes,
    ...functionUrlRoutes,
    ...eventSourceMappingRoutes,
    ...capacityProviderRoutes,
    ...durableExecutionRoutes,
    ...eventInvokeConfigRoutes,
    ...logRoutes,
    ...pushDeploymentRoutes,
  ].map((operation) => operation(ports));
}
