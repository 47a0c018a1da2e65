/** An image as a URI names it: `[registry/]repository[:tag][@sha256:...]`. */
export interface ImageReference {
  /** With the registry, without tag and digest. */
  readonly name: string;
  readonly repository: string;
  readonly tag: string;
  /** Hex. */
  readonly sha256: string | undefined;
}

/** Undefined for an invalid URI. The first part is a registry if it has a dot or a port, as in Docker. */
export function readImageUri(uri: string): ImageReference | undefined {
  const { registry, repository, tag, sha256 } = form.exec(uri)?.groups ?? {};
  if (!repository) return undefined;
  const name = registry === undefined ? repository : `${registry}/${repository}`;
  return { name, repository, tag: tag ?? 'latest', sha256 };
}

const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const form = new RegExp(
  String.raw`^(?:(?<registry>localhost|[\w-]+(?:\.[\w-]+)+(?::\d+)?|[\w-]+:\d+)/)?` +
    `(?<repository>${part}(?:/${part})*)` +
    String.raw`(?::(?<tag>\w[\w.-]{0,127}))?(?:@sha256:(?<sha256>[0-9a-f]{64}))?$`,
);
