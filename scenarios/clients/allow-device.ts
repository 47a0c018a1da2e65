/** What a person does in a browser after `gh auth login --web` has shown its code: signs in, enters the code, and allows it. */
import assert from 'node:assert/strict';

import { openSignedInBrowser } from '../signed-in-browser.ts';

const device = '/login/device';

const [url = '', login = '', password = '', code = ''] = process.argv.slice(2);
const browser = await openSignedInBrowser({ url, login, password });
await browser.get(device);
const consent = await browser.submit(device, { user_code: code });
assert.match(consent.text, /GitHub CLI/);
const fields = { user_code: code, authorize: '1' };
const ended = await browser.submit(`${device}/authorize`, fields);
assert.equal(ended.headers['location'], `${device}?answer=allowed`, ended.text);
