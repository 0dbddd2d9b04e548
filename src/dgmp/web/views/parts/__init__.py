"""What several views show: cards of pages and hands, places on a scan."""
