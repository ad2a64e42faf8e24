// The bulk actions on devices that have a dialog, in the order of the menu. Deploying has its own page.

export const BULK_ACTIONS = {
  group: 'Set group',
  customer: 'Set customer',
  site: 'Set site',
  location: 'Set location',
  'add-tag': 'Add a tag',
  'remove-tag': 'Remove a tag',
  'update-agent': 'Update agent',
  'rotate-key': 'Rotate keys',
  export: 'Export as CSV',
  delete: 'Delete',
} as const;

export type BulkActionName = keyof typeof BULK_ACTIONS;
