// The program: runs the service from the bundle of these sources, or from the sources when that was not built.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtProgram } from './bundle.ts';

const program = builtProgram(join(import.meta.dirname, '../..'));
if (program === null) await import('./service.ts');
else await import(pathToFileURL(program).href);
