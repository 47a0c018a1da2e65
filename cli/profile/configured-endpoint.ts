import { type Environment, firstSet } from './environment.ts';
import { type IniSection, textIn } from './ini-file.ts';
import { namedSection, type ProfileFiles } from './profile-files.ts';

/** The service's own setting wins over the one of all services, and a variable over a file of the same reach. */
export function configuredEndpoint(
  environment: Environment,
  files: ProfileFiles,
  section: IniSection,
): string | undefined {
  const ignored =
    firstSet(environment, 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') ??
    textIn(section, 'ignore_configured_endpoint_urls');
  if (ignored?.toLowerCase() === 'true') return undefined;
  return (
    firstSet(environment, 'AWS_ENDPOINT_URL_LAMBDA', 'AWS_ENDPOINT_URL') ??
    serviceEndpoint(files, section) ??
    textIn(section, 'endpoint_url')
  );
}

/** `services = x` of the profile leads to `[services x]` with a block for this service. */
function serviceEndpoint(files: ProfileFiles, section: IniSection): string | undefined {
  const services = textIn(section, 'services');
  if (services === undefined) return undefined;
  const block = namedSection(files.config, 'services', services)?.get('lambda');
  return typeof block === 'object' ? block.get('endpoint_url') : undefined;
}
