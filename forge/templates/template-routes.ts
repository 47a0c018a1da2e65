import { notFound } from '../errors/api-error.ts';
import { ok, page as pageResult, text } from '../http/endpoint-result.ts';
import { openEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { gitignoreTemplate, gitignoreTemplates } from './gitignore-templates.ts';
import { featured, representFullLicense, representLicense } from './license-json.ts';
import { licenseByKey, licenses } from './license-table.ts';

/** What new repositories can begin with: licences and `.gitignore` files. */
export const templateRoutes: readonly Endpoint[] = [
  openEndpoint({
    operation: 'licenses/get-all-commonly-used',
    method: 'GET',
    path: '/licenses',
    docs: 'licenses#get-all-commonly-used-licenses',
    async handle({ query, page, urls }) {
      const all = query.get('featured') !== 'true';
      const listed = licenses.filter((license) => license.listed && (all || featured(license)));
      const shown = listed.slice(page.offset, page.offset + page.size);
      return pageResult(
        shown.map((license) => representLicense(license, urls)),
        listed.length,
      );
    },
  }),

  openEndpoint({
    operation: 'licenses/get',
    method: 'GET',
    path: '/licenses/:license',
    docs: 'licenses#get-a-license',
    handle: async ({ path, urls }) =>
      ok(representFullLicense(licenseByKey(path.license) ?? notFound(), urls)),
  }),

  openEndpoint({
    operation: 'gitignore/get-all-templates',
    method: 'GET',
    path: '/gitignore/templates',
    docs: 'gitignore#get-all-gitignore-templates',
    handle: async () => ok(Object.keys(gitignoreTemplates)),
  }),

  openEndpoint({
    operation: 'gitignore/get-template',
    method: 'GET',
    path: '/gitignore/templates/:name',
    docs: 'gitignore#get-a-gitignore-template',
    formats: ['raw'],
    async handle({ path, media }) {
      const source = gitignoreTemplate(path.name) ?? notFound();
      return media.format === 'raw' ? text('raw', source) : ok({ name: path.name, source });
    },
  }),
];
