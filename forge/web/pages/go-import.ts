import { isReserved } from '../../model/account.ts';
import { html } from '#web/html.ts';
import type { WebResponse } from '#web/web-response.ts';
import { loadRepositoryContext, type WebContext } from '../kit/web-context.ts';
import { fullName } from '../../model/repository.ts';

/** Where `go get` is answered. No login begins with a dash. */
export const goImportPath = '/-/go-import';

/**
 * Rewrites requests of `go get` (`/owner/repo/any/package?go-get=1`) to the page that answers them, whatever other clients
 * get at that URL.
 */
export function rewriteGoGet(url: string): string {
  const requested = /^\/([a-zA-Z0-9][a-zA-Z0-9-]*)\/([^/?]+)[^?]*\?(?:.*&)?go-get=1(?:&.*)?$/.exec(
    url,
  );
  const [, owner = '', repo = ''] = requested ?? [];
  return requested && !isReserved(owner) ? `${goImportPath}/${owner}/${repo}` : url;
}

/**
 * The repository of a Go package (https://go.dev/ref/mod#vcs-find). The first field must be an exact prefix of the requested
 * import path; the clone URL is the current one, even if the repository was renamed.
 */
export async function showGoImport(context: WebContext): Promise<WebResponse> {
  const { urls, path } = context;
  const entered = await loadRepositoryContext(context);
  const name = 'movedTo' in entered ? entered.movedTo : fullName(entered.repository);
  const prefix = urls.web(`/${path['owner']}/${path['repo']}`).replace(/^https?:\/\//, '');
  return {
    kind: 'page',
    title: name,
    head: html`<meta name="go-import" content="${prefix} git ${urls.clone(name)}" />`,
    body: html`<p><code>go get ${prefix}</code></p>
      <p><a href="${urls.repositoryHtml(name)}">${name}</a></p>`,
  };
}
