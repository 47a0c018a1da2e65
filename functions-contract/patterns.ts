/** Patterns as the service prints them. All hold for the whole text. */
export const textPattern = String.raw`[^\u0000\uD800-\uDFFF]*`;
const region = String.raw`(eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}`;

const functionPrefix = String.raw`(arn:(aws[a-zA-Z-]*)?:lambda:)?(${region}:)?(\d{12}:)?(function:)?`;

export const functionNamePattern = String.raw`${functionPrefix}([a-zA-Z0-9-_]+)(:(\$LATEST|[a-zA-Z0-9-_]+))?`;
export const namespacedFunctionNamePattern = String.raw`${functionPrefix}([a-zA-Z0-9-_\.]+)(:(\$LATEST(\.PUBLISHED)?|[a-zA-Z0-9-_]+))?`;
export const qualifierPattern = String.raw`\$(LATEST(\.PUBLISHED)?)|[a-zA-Z0-9-_$]+`;
export const aliasNamePattern = '(?!^[0-9]+$)([a-zA-Z0-9-_]+)';
export const versionPattern = String.raw`(\$LATEST(\.PUBLISHED)?|[0-9]+)`;
export const roleArnPattern = String.raw`arn:(aws[a-zA-Z-]*)?:iam::\d{12}:role/?[a-zA-Z_0-9+=,.@\-_/]+`;
export const handlerPattern = String.raw`[^\s]+`;
export const resourceArnPattern = String.raw`(arn:(aws[a-zA-Z-]*)?:[a-z0-9-.]+:.*)|()`;
export const layerVersionArnPattern = String.raw`(arn:(aws[a-zA-Z-]*)?:lambda:${region}:\d{12}:layer:[a-zA-Z0-9-_]+:[0-9]+)|(arn:[a-zA-Z0-9-]+:lambda:::awslayer:[a-zA-Z0-9-_]+)`;
export const layerNamePattern = String.raw`(arn:[a-zA-Z0-9-]+:lambda:[a-zA-Z0-9-]+:\d{12}:layer:[a-zA-Z0-9-_]+)|[a-zA-Z0-9-_]+`;
export const subnetPattern = 'subnet-[0-9a-z]*';
export const securityGroupPattern = 'sg-[0-9a-zA-Z]*';
export const environmentNamePattern = '[a-zA-Z]([a-zA-Z0-9_])+';
export const fileSystemArnPattern = String.raw`arn:aws[a-zA-Z-]*:elasticfilesystem:[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}:\d{12}:access-point/fsap-[a-f0-9]{17}`;
export const mountPathPattern = '/mnt/[a-zA-Z0-9-_.]+';
export const logGroupPattern = String.raw`[\.\-_/#A-Za-z0-9]+`;
export const capacityProviderArnPattern = String.raw`arn:aws[a-zA-Z-]*:lambda:${region}:\d{12}:capacity-provider:[a-zA-Z0-9-_]+`;
export const destinationArnPattern = String.raw`$|kafka://([^.]([a-zA-Z0-9\-_.]{0,248}))|arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\-])+:(${region})?:(\d{12})?:(.*)`;
