/** No route has this address, so that the pipeline refuses what is sent to it. */
const refusedAddress = '/api/v3/-/unreadable';

/**
 * Sends addresses that cannot be decoded to where they are refused like everything else, counted and in the documented
 * shape: the router itself would answer them before the pipeline is met.
 */
export function divertUnreadable(url: string): string {
  return isReadable(url) ? url : refusedAddress;
}

/** Whether the escapes of the path are bytes of text. */
export function isReadable(url: string): boolean {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
