/** The URL of the sign-in page, which returns to a page of this server. */
export function loginPath(returnTo: string): string {
  const pointless =
    returnTo === '/' ||
    /^\/(?:login(?!\/(?:oauth|device))|sessions?|logout)(?:[/?]|$)/.test(returnTo);
  return pointless ? '/login' : `/login?return_to=${encodeURIComponent(returnTo)}`;
}
