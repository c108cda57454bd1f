// Unloads all modules before a test file that replaces some: those that other files have loaded import the real ones.
import { vi } from 'vitest';

vi.resetModules();
