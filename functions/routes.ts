import { serveCreateAlias } from './aliases/operations/create-alias.ts';
import { serveDeleteAlias } from './aliases/operations/delete-alias.ts';
import { serveGetAlias } from './aliases/operations/get-alias.ts';
import { serveListAliases } from './aliases/operations/list-aliases.ts';
import { serveUpdateAlias } from './aliases/operations/update-alias.ts';
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
import type { ServedOperation } from './conventions/call.ts';
import { serveInvoke } from './invocation/operations/invoke.ts';
import { serveAddPermission } from './permissions/operations/add-permission.ts';
import { serveGetPolicy } from './permissions/operations/get-policy.ts';
import { serveRemovePermission } from './permissions/operations/remove-permission.ts';
import type { FunctionPorts } from './ports.ts';
import { serveListTags } from './tags/operations/list-tags.ts';
import { serveTagResource } from './tags/operations/tag-resource.ts';
import { serveUntagResource } from './tags/operations/untag-resource.ts';
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
  ].map((operation) => operation(ports));
}
