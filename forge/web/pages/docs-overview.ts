import type { Urls } from '../../json/urls.ts';
import { html, type Html } from '#web/html.ts';

/** The rules for all endpoints; refusals link to these anchors (errors/error-responses.ts). */
export function requestRules(urls: Urls): Html {
  return html`<h1>Requests and answers</h1>
    <h2 id="root-endpoint">Root</h2>
    <p>
      <a href="${urls.api('/')}">${urls.api('/')}</a> answers with the addresses of everything else.
      The same interface also answers without the prefix <code>/api/v3</code>.
    </p>
    <h2 id="user-agent-required">User-Agent</h2>
    <p>A request without the header <code>User-Agent</code> is refused with 403.</p>
    <h2 id="authentication">Authentication</h2>
    <p id="oauth2-token-sent-in-a-header">
      Send a token as <code>Authorization: token TOKEN</code>, or Basic credentials with a password
      or a token. Credentials in the query string are refused with 400. What a caller may not read
      is answered with 404, as if it were not there.
    </p>
    <p id="failed-login-limit">
      After many failed logins an account's logins are refused with 403 for a while, right ones too.
    </p>
    <p id="working-with-two-factor-authentication">
      With a second factor, Basic credentials with a password also need a code, in the header
      <code>X-GitHub-OTP</code>; without one the answer is 401. A code is good once. Tokens need
      none.
    </p>
    <h2 id="web-application-flow">Tokens for applications</h2>
    <p>
      An application with a callback URL sends its user to
      <code>${urls.web('/login/oauth/authorize')}</code> with <code>client_id</code> and, if it
      likes, <code>redirect_uri</code> (the callback URL or below it), <code>scope</code>,
      <code>state</code> and <code>code_challenge</code> with <code>code_challenge_method</code>
      <code>S256</code>. The user comes back with a <code>code</code>, which is good once and for
      ten minutes: send it with <code>client_id</code>, <code>client_secret</code> and any
      <code>code_verifier</code> to <code>POST ${urls.web('/login/oauth/access_token')}</code>.
      <code>Accept</code> chooses between a form, <code>application/json</code> and
      <code>application/xml</code>. What goes wrong comes as <code>error</code> and
      <code>error_description</code>.
    </p>
    <p id="device-flow">
      A program without a browser sends <code>client_id</code> and <code>scope</code> to
      <code>POST ${urls.web('/login/device/code')}</code>, shows the <code>user_code</code> to its
      user, who enters it at <code>${urls.web('/login/device')}</code>, and asks the address above
      for the token with <code>client_id</code>, <code>device_code</code> and
      <code>grant_type=urn:ietf:params:oauth:grant-type:device_code</code> until it gets one.
    </p>
    <h2 id="git-lfs">Git LFS</h2>
    <p>
      Clients of Git LFS send objects to and get them from the address that they derive from the
      remote, <code>/OWNER/NAME.git/info/lfs</code>, with the credentials of git, by basic
      transfers. Files can be locked. A fork has the objects of its network. With a remote of SSH,
      set <code>lfs.url</code> to that address.
    </p>
    <h2 id="http-redirects">Redirects</h2>
    <p>
      A repository that was renamed or transferred answers under its old name with 301, or 307 to
      requests that are not GET or HEAD. So does an issue that was transferred, to those who may
      read it in its new repository. Follow <code>Location</code>.
    </p>
    <h2 id="pagination">Pages</h2>
    <p>
      Lists come in pages of 30; <code>per_page</code> asks for up to 100, <code>page</code> counts
      from 1. The header <code>Link</code> has the addresses of the other pages.
    </p>
    <h2 id="conditional-requests">Conditional requests</h2>
    <p>
      Send an answer's <code>ETag</code> back as <code>If-None-Match</code>: 304 says that nothing
      changed, and is not counted.
    </p>
    <h2 id="rate-limiting">Rate limit</h2>
    <p>
      The headers <code>X-RateLimit-*</code> of every answer, and
      <code>${urls.api('/rate_limit')}</code>, say how many requests an hour are left. When none is,
      the answer is 403.
    </p>
    <h2 id="abuse-rate-limits">Slow down</h2>
    <p>
      Too much at once is refused with 403 and <code>Retry-After</code>: wait that many seconds.
    </p>
    <h2 id="errors">Errors</h2>
    <p>
      400 is for bodies that are not JSON objects, 422 for those that do not fit;
      <code>errors</code> then names each <code>field</code> with a <code>code</code>: missing,
      missing_field, invalid, already_exists, unprocessable or custom.
    </p>`;
}

export function mediaTypes(urls: Urls): Html {
  return html`<h1>Media types</h1>
    <p>
      <code>Accept: application/vnd.github.v3+json</code>, <code>application/json</code> and
      <code>*/*</code> all get JSON; anything that allows none of them is refused with 415.
    </p>
    <p>
      <code>application/vnd.github.v3.FORMAT</code> asks for another form where the
      <a href="${urls.docs('')}">reference</a> names it: diff and patch of pulls and commits; raw,
      text, html and full for the texts people write.
    </p>
    <p>
      Preview media types, <code>application/vnd.github.NAME-preview+json</code>, open what the
      reference calls a preview, and so does a version that is named by its date,
      <code>X-GitHub-Api-Version: 2022-11-28</code>; others are accepted and change nothing.
    </p>`;
}
