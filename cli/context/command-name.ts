/** `KMSKeyArn` on the command line: `kms-key-arn`. */
export function commandName(name: string): string {
  return name
    .replaceAll(/(.)([A-Z][a-z]+)/g, '$1-$2')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();
}
