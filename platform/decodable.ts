/** Whether percent-encoded text can be decoded: it is valid UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    // The result is used, because the bundler of the package removes a call whose result is not, as one that does nothing.
    return decodeURIComponent(text).length <= text.length;
  } catch {
    return false;
  }
}
