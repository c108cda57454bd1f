// The tabs of a project in their order, as its URLs name them.

export const TABS = [
  'overview',
  'rules',
  'guidelines',
  'schema',
  'preview',
  'people',
  'webhook',
  'notifications',
  'deliveries',
  'keys',
  'changes',
  'danger',
] as const;
