import type { TSchema } from 'typebox';

import type { Endpoint, EndpointAccess } from '../../routing/endpoint.ts';
import { enumValuesOf } from '../../http/schemas.ts';
import { html, type Html } from '#web/html.ts';

/** One endpoint of the reference; `slug` is what `documentation_url` names it by. */
export function endpointView({ declaration, access, bodySchema }: Endpoint, slug: string): Html {
  const { method, path, acceptedScopes, formats, preview } = declaration;
  const rows: [name: string, value: string | undefined][] = [
    ['Who may', whoMay(access)],
    ['Scopes', acceptedScopes],
    ['Other formats', formats?.join(', ')],
    ['Preview media type', preview && `${preview.name}-preview`],
  ];
  const fields = Object.entries(bodySchema.properties);
  return html`<section id="${slug}">
    <h2>${titleOf(slug)}</h2>
    <pre tabindex="0">${method} ${path}</pre>
    <table>
      ${rows.map(([name, value]) =>
        value
          ? html`<tr>
              <th>${name}</th>
              <td>${value}</td>
            </tr>`
          : '',
      )}
    </table>
    ${
      fields.length === 0
        ? ''
        : html`<h3>Body</h3>
            <table>
              ${fields.map(([name, schema]) => fieldView(name, schema, bodySchema.required))}
            </table>`
    }
  </section>`;
}

function titleOf(slug: string): string {
  const label = slug.replaceAll('-', ' ');
  return label.charAt(0).toUpperCase() + label.slice(1);
}

function whoMay(access: EndpointAccess): string {
  switch (access.kind) {
    case 'anyone':
      return 'everybody';
    case 'user':
      return access.scopes.length === 0
        ? 'signed-in users'
        : `signed-in users; a token needs one of ${access.scopes.join(', ')}`;
    case 'site-admin':
      return 'site administrators, with the scope site_admin';
    case 'app':
      return 'GitHub Apps, with a JSON Web Token';
    case 'installation':
      return 'installations of GitHub Apps, with an installation token';
    case 'repository':
      return `users with ${access.policy.permission} permission in the repository`;
  }
}

function fieldView(name: string, schema: TSchema, required: readonly string[] | undefined): Html {
  return html`<tr>
    <th><code>${name}</code></th>
    <td>${typeOf(schema)}</td>
    <td>${required?.includes(name) ? 'required' : ''}</td>
  </tr>`;
}

function typeOf(schema: TSchema): string {
  const label = enumValuesOf(schema);
  if (label) return `one of ${label.join(', ')}`;
  const own: unknown = Reflect.get(schema, 'type');
  if (typeof own === 'string') return own;
  const variants: unknown = Reflect.get(schema, 'anyOf');
  if (!Array.isArray(variants)) return 'any value';
  return variants.map((variant: TSchema) => typeOf(variant)).join(' or ');
}
